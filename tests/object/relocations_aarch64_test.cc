#include "object/relocations_aarch64.h"

#include <elf.h>

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr uint32_t kPlt32 = 314;  // Missing from older versions of elf.h.

constexpr uint64_t kPlace = 0x700000001004;
constexpr uint64_t kTable = 0x700000003ff0;
constexpr uint64_t kEntry = kTable + 0x18;  // On the next page.
constexpr uint64_t kDescriptor = kTable + 0x20;
constexpr uint64_t kMiB = uint64_t{1} << 20, kGiB = uint64_t{1} << 30;

struct Case {
  uint32_t type;
  uint64_t symbol;
  int64_t addend;
  RelocationResult result;
  uint64_t before;
  uint64_t value;
};

constexpr auto kDone = RelocationResult::kDone;
constexpr auto kFar = RelocationResult::kOutOfReach;
constexpr auto kHigh = RelocationResult::kTooHigh;
constexpr auto kOdd = RelocationResult::kNotAligned;

void Check(const Case& c) {
  const RelocationKindInfo kind = DescribeAArch64Relocation(c.type);
  EXPECT_TRUE(kind.is_known) << c.type;
  const RelocationAddresses addresses = {c.symbol, c.addend,    kPlace, kEntry,
                                         kTable,   kDescriptor, 0};
  for (int again = 0; again < 2; ++again) {
    uint8_t bytes[16];
    std::memset(bytes, 0x55, sizeof(bytes));
    std::memcpy(bytes, &c.before, kind.size);
    // A relocation that was applied to another address before leaves nothing behind.
    const RelocationAddresses other = {kPlace + 0x40, 0, kPlace, kTable, kTable};
    if (again == 1) ApplyAArch64Relocation(c.type, other, bytes);
    EXPECT_EQ(ApplyAArch64Relocation(c.type, addresses, bytes), c.result)
        << "relocation " << c.type << " to " << std::hex << c.symbol;
    for (size_t i = kind.size; i < sizeof(bytes); ++i) EXPECT_EQ(bytes[i], 0x55);
    if (c.result != kDone) continue;
    uint64_t value = 0;
    std::memcpy(&value, bytes, kind.size);
    EXPECT_EQ(value, c.value) << "relocation " << c.type << " to " << std::hex << c.symbol;
  }
}

TEST(RelocationsAArch64Test, WritesData) {
  for (const Case& c : {
           Case{R_AARCH64_NONE, 1, 0, kDone, 0, 0},
           Case{256, 1, 0, kDone, 0, 0},
           Case{R_AARCH64_ABS64, 0x123456789abcdef0, 16, kDone, 0, 0x123456789abcdf00},
           Case{R_AARCH64_ABS32, 0xfffffffe, 1, kDone, 0, 0xffffffff},
           Case{R_AARCH64_ABS32, 0, -1, kDone, 0, 0xffffffff},
           Case{R_AARCH64_ABS32, 0xfffffffe, 2, kHigh, 0, 0},
           Case{R_AARCH64_ABS16, 0xfffe, 1, kDone, 0, 0xffff},
           Case{R_AARCH64_ABS16, 0xfffe, 2, kHigh, 0, 0},
           Case{R_AARCH64_PREL64, 0x10, 1, kDone, 0, 0x11 - kPlace},
           Case{R_AARCH64_PREL32, kPlace + 2 * kGiB, -1, kDone, 0, 0x7fffffff},
           Case{R_AARCH64_PREL32, kPlace + 2 * kGiB, 0, kFar, 0, 0},
           Case{R_AARCH64_PREL32, kPlace - 2 * kGiB, -1, kFar, 0, 0},
           Case{R_AARCH64_PREL16, kPlace - 0x8000, 0, kDone, 0, 0x8000},
           Case{R_AARCH64_PREL16, kPlace + 0x8000, 0, kFar, 0, 0},
           Case{kPlt32, kPlace + 0x1000, 4, kDone, 0, 0x1004},
           Case{kPlt32, 0, 0, kFar, 0, 0},
       }) {
    Check(c);
  }
}

TEST(RelocationsAArch64Test, WritesBranches) {
  for (const Case& c : {
           Case{R_AARCH64_CALL26, kPlace + 0x1000, 0, kDone, 0x94000000, 0x94000400},
           Case{R_AARCH64_CALL26, kPlace - 4, 0, kDone, 0x94000000, 0x97ffffff},
           Case{R_AARCH64_CALL26, kPlace + 128 * kMiB - 4, 0, kDone, 0x94000000, 0x95ffffff},
           Case{R_AARCH64_CALL26, kPlace + 128 * kMiB, 0, kFar, 0x94000000, 0},
           Case{R_AARCH64_JUMP26, kPlace - 128 * kMiB, 0, kDone, 0x14000000, 0x16000000},
           Case{R_AARCH64_JUMP26, kPlace - 128 * kMiB - 4, 0, kFar, 0x14000000, 0},
           Case{R_AARCH64_JUMP26, kPlace + 2, 0, kOdd, 0x14000000, 0},
           Case{R_AARCH64_CONDBR19, kPlace + kMiB - 4, 0, kDone, 0x54000001, 0x547fffe1},
           Case{R_AARCH64_CONDBR19, kPlace + kMiB, 0, kFar, 0x54000001, 0},
           Case{R_AARCH64_TSTBR14, kPlace - 32768, 0, kDone, 0x36000003, 0x36040003},
           Case{R_AARCH64_TSTBR14, kPlace + 32768, 0, kFar, 0x36000003, 0},
       }) {
    Check(c);
  }
}

TEST(RelocationsAArch64Test, WritesAddressesRelativeToTheInstruction) {
  for (const Case& c : {
           Case{R_AARCH64_ADR_PREL_LO21, kPlace + 7, 0, kDone, 0x10000000, 0x70000020},
           Case{R_AARCH64_ADR_PREL_LO21, kPlace - kMiB, 0, kDone, 0x10000000, 0x10800000},
           Case{R_AARCH64_ADR_PREL_LO21, kPlace + kMiB, 0, kFar, 0x10000000, 0},
           Case{R_AARCH64_LD_PREL_LO19, kPlace + 8, 0, kDone, 0x18000000, 0x18000040},
           Case{R_AARCH64_LD_PREL_LO19, kPlace + kMiB, 0, kFar, 0x18000000, 0},
           // Three pages on: bits 0 and 1 are both set.
           Case{R_AARCH64_ADR_PREL_PG_HI21, 0x700000004fff, 0, kDone, 0x90000000, 0xf0000000},
           Case{R_AARCH64_ADR_PREL_PG_HI21, 0x700000000fff, 0, kDone, 0x90000000, 0xf0ffffe0},
           Case{R_AARCH64_ADR_PREL_PG_HI21, 0x700000001000 + 4 * kGiB, -1, kDone, 0x90000000,
                0xf07fffe0},
           Case{R_AARCH64_ADR_PREL_PG_HI21, 0x700000001000 + 4 * kGiB, 0, kFar, 0x90000000, 0},
           Case{R_AARCH64_ADR_PREL_PG_HI21_NC, 0x700000001000 + 4 * kGiB, 0, kDone, 0x90000000,
                0x90800000},
       }) {
    Check(c);
  }
}

TEST(RelocationsAArch64Test, WritesTheLowBitsOfAddresses) {
  constexpr uint64_t kTarget = 0x700012345ab0;
  for (const Case& c : {
           Case{R_AARCH64_ADD_ABS_LO12_NC, kTarget, 3, kDone, 0x91000000, 0x912acc00},
           Case{R_AARCH64_LDST8_ABS_LO12_NC, kTarget, 1, kDone, 0x39400000, 0x396ac400},
           Case{R_AARCH64_LDST16_ABS_LO12_NC, kTarget, 2, kDone, 0x79400000, 0x79556400},
           Case{R_AARCH64_LDST32_ABS_LO12_NC, kTarget, 4, kDone, 0xb9400000, 0xb94ab400},
           Case{R_AARCH64_LDST64_ABS_LO12_NC, kTarget, 8, kDone, 0xf9400000, 0xf9455c00},
           Case{R_AARCH64_LDST128_ABS_LO12_NC, kTarget, 0, kDone, 0x3dc00000, 0x3dc2ac00},
           Case{R_AARCH64_LDST16_ABS_LO12_NC, kTarget, 1, kOdd, 0x79400000, 0},
           Case{R_AARCH64_LDST128_ABS_LO12_NC, kTarget, 8, kOdd, 0x3dc00000, 0},
       }) {
    Check(c);
  }
}

TEST(RelocationsAArch64Test, WritesPartsOfAddresses) {
  constexpr uint64_t kTarget = 0x1122334455667788;
  for (const Case& c : {
           Case{R_AARCH64_MOVW_UABS_G0_NC, kTarget, 0, kDone, 0xd2800000, 0xd28ef100},
           Case{R_AARCH64_MOVW_UABS_G1_NC, kTarget, 0, kDone, 0xf2a00000, 0xf2aaacc0},
           Case{R_AARCH64_MOVW_UABS_G2_NC, kTarget, 0, kDone, 0xf2c00000, 0xf2c66880},
           Case{R_AARCH64_MOVW_UABS_G3, kTarget, 0, kDone, 0xf2e00000, 0xf2e22440},
           Case{R_AARCH64_MOVW_UABS_G0, 0xffff, 0, kDone, 0xd2800000, 0xd29fffe0},
           Case{R_AARCH64_MOVW_UABS_G0, 0xffff, 1, kHigh, 0xd2800000, 0},
           Case{R_AARCH64_MOVW_UABS_G1, 0xffffffff, 0, kDone, 0xd2a00000, 0xd2bfffe0},
           Case{R_AARCH64_MOVW_UABS_G1, 0xffffffff, 1, kHigh, 0xd2a00000, 0},
           Case{R_AARCH64_MOVW_UABS_G2, kTarget, 0, kHigh, 0xd2c00000, 0},
       }) {
    Check(c);
  }
}

TEST(RelocationsAArch64Test, ReachesTheOffsetTable) {
  for (const Case& c : {
           Case{R_AARCH64_ADR_GOT_PAGE, 1, 0, kDone, 0x90000000, 0xf0000000},
           Case{R_AARCH64_LD64_GOT_LO12_NC, 1, 0, kDone, 0xf9400000, 0xf9400400},
           Case{R_AARCH64_LD64_GOTPAGE_LO15, 1, 0, kDone, 0xf9400000, 0xf9480400},
           Case{R_AARCH64_GOT_LD_PREL19, 1, 0, kDone, 0x58000000, 0x58018020},
       }) {
    Check(c);
  }
}

// The descriptor lies at 0x700000004010, three pages behind the place.
TEST(RelocationsAArch64Test, ThreadLocalOnesUseDescriptors) {
  for (const Case& c : {
           Case{R_AARCH64_TLSDESC_ADR_PAGE21, 1, 0, kDone, 0x90000000, 0xf0000000},
           Case{R_AARCH64_TLSDESC_LD64_LO12, 1, 0, kDone, 0xf9400001, 0xf9400801},
           Case{R_AARCH64_TLSDESC_ADD_LO12, 1, 0, kDone, 0x91000000, 0x91004000},
           Case{R_AARCH64_TLSDESC_ADR_PREL21, 1, 0, kDone, 0x10000000, 0x10018060},
           Case{R_AARCH64_TLSDESC_LD_PREL19, 1, 0, kDone, 0x58000001, 0x58018061},
           Case{R_AARCH64_TLSDESC_CALL, 1, 0, kDone, 0, 0},
           Case{R_AARCH64_TLSGD_ADR_PAGE21, 1, 0, kDone, 0x90000000, 0xf0000000},
           Case{R_AARCH64_TLSGD_ADD_LO12_NC, 1, 0, kDone, 0x91000000, 0x91004000},
       }) {
    Check(c);
    EXPECT_TRUE(DescribeAArch64Relocation(c.type).is_thread_local) << c.type;
  }
}

TEST(RelocationsAArch64Test, KnowsNeitherPlacesInProgramsNorDynamicRelocations) {
  for (uint32_t type : {R_AARCH64_TLSLE_ADD_TPREL_HI12, R_AARCH64_TLSLD_ADR_PAGE21,
                        R_AARCH64_TLSIE_ADR_GOTTPREL_PAGE21}) {
    EXPECT_FALSE(DescribeAArch64Relocation(type).is_known) << type;
    EXPECT_TRUE(DescribeAArch64Relocation(type).is_thread_local) << type;
  }
  for (uint32_t type : {1, R_AARCH64_COPY, R_AARCH64_RELATIVE, 5000}) {
    EXPECT_FALSE(DescribeAArch64Relocation(type).is_known) << type;
    EXPECT_FALSE(DescribeAArch64Relocation(type).is_thread_local) << type;
  }
}

TEST(RelocationsAArch64Test, JumpHasItsTargetBehindIt) {
  uint8_t jump[kAArch64JumpSize];
  WriteAArch64Jump(0x1122334455667788, jump);
  EXPECT_THAT(jump, testing::ElementsAre(0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6, 0x88, 0x77, 0x66,
                                         0x55, 0x44, 0x33, 0x22, 0x11));
}

}  // namespace
}  // namespace firstcall
