#include "object/relocations_x86_64.h"

#include <elf.h>

#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kPlace = 0x700000001000;
constexpr uint64_t kTable = 0x700000003000;
constexpr uint64_t kEntry = kTable + 0x18;
constexpr uint64_t kDescriptor = kTable + 0x100;
constexpr uint64_t kPlaceInBlock = 0x40;
constexpr uint64_t kGiB = uint64_t{1} << 30;

// What a relocation writes at offset 8 of 24 bytes that run 8 bytes before kPlace.
struct Applied {
  RelocationResult result;
  uint64_t value;  // Extended with signs from the size of the relocation.
};

Applied Apply(uint32_t type, uint64_t symbol, int64_t addend) {
  const RelocationAddresses addresses = {symbol, addend,      kPlace,       kEntry,
                                         kTable, kDescriptor, kPlaceInBlock};
  const std::vector<char> original(24, 0x55);
  std::vector<uint8_t> section(24, 0x55);
  Applied applied;
  applied.result = ApplyX86_64Relocation(type, addresses, original, absl::MakeSpan(section), 8);
  const size_t size = DescribeX86_64Relocation(type).size;
  for (size_t i = 0; i < section.size(); ++i) {
    const bool is_written = i >= 8 && i < 8 + size;
    EXPECT_TRUE(is_written || section[i] == 0x55) << "relocation " << type << " wrote at " << i;
  }
  int64_t value = 0;
  std::memcpy(&value, section.data() + 8, size);
  const int unused = static_cast<int>(64 - 8 * size);
  applied.value = size == 0 ? 0 : static_cast<uint64_t>(value << unused >> unused);
  return applied;
}

struct Case {
  uint32_t type;
  uint64_t symbol;
  int64_t addend;
  RelocationResult result;
  uint64_t value;
};

TEST(RelocationsX86_64Test, WritesWhatTheAbiSays) {
  constexpr auto kDone = RelocationResult::kDone;
  constexpr auto kFar = RelocationResult::kOutOfReach;
  constexpr auto kHigh = RelocationResult::kTooHigh;
  const Case cases[] = {
      {R_X86_64_NONE, kPlace, 3, kDone, 0},
      {R_X86_64_64, 0x123456789abcdef0, -16, kDone, 0x123456789abcdee0},
      {R_X86_64_32, 0xfffffffe, 1, kDone, ~uint64_t{0}},
      {R_X86_64_32, 0xfffffffe, 2, kHigh, 0},
      {R_X86_64_32, 0, -1, kHigh, 0},
      {R_X86_64_32S, 0x7ffffffe, 1, kDone, 0x7fffffff},
      {R_X86_64_32S, 0, -1, kDone, ~uint64_t{0}},
      {R_X86_64_32S, 0x7ffffffe, 2, kHigh, 0},
      {R_X86_64_16, 0xfffe, 1, kDone, ~uint64_t{0}},
      {R_X86_64_16, 0xfffe, 2, kHigh, 0},
      {R_X86_64_16, 0, -0x8001, kHigh, 0},
      {R_X86_64_8, 0xfe, 1, kDone, ~uint64_t{0}},
      {R_X86_64_8, 0xfe, 2, kHigh, 0},
      {R_X86_64_PC64, 0x10, 0, kDone, 0x10 - kPlace},
      {R_X86_64_PC32, kPlace + 0x100, -4, kDone, 0xfc},
      {R_X86_64_PC32, kPlace - 2 * kGiB, 0, kDone, -2 * kGiB},
      {R_X86_64_PC32, kPlace - 2 * kGiB, -1, kFar, 0},
      {R_X86_64_PC32, kPlace + 2 * kGiB, -1, kDone, 2 * kGiB - 1},
      {R_X86_64_PC32, kPlace + 2 * kGiB, 0, kFar, 0},
      {R_X86_64_PLT32, kPlace + 0x100, -4, kDone, 0xfc},
      {R_X86_64_PLT32, 0, -4, kFar, 0},
      {R_X86_64_PC16, kPlace + 0x7fff, 0, kDone, 0x7fff},
      {R_X86_64_PC16, kPlace + 0x8000, 0, kFar, 0},
      {R_X86_64_PC8, kPlace - 0x80, 0, kDone, static_cast<uint64_t>(-0x80)},
      {R_X86_64_PC8, kPlace - 0x81, 0, kFar, 0},
      {R_X86_64_GOTPCREL, 1, -4, kDone, kEntry - 4 - kPlace},
      {R_X86_64_GOTPCRELX, 1, -4, kDone, kEntry - 4 - kPlace},
      {R_X86_64_REX_GOTPCRELX, 1, -4, kDone, kEntry - 4 - kPlace},
      {R_X86_64_GOTPCREL64, 1, 5, kDone, kEntry + 5 - kPlace},
      {R_X86_64_GOTPC32, kTable, 7, kDone, kTable + 7 - kPlace},
      {R_X86_64_GOTPC64, kTable, 9, kDone, kTable + 9 - kPlace},
      {R_X86_64_GOTOFF64, kPlace, 3, kDone, kPlace + 3 - kTable},
      {R_X86_64_PLTOFF64, kPlace, 3, kDone, kPlace + 3 - kTable},
      {R_X86_64_GOT32, 1, 2, kDone, 0x1a},
      {R_X86_64_GOT64, 1, 2, kDone, 0x1a},
      {R_X86_64_GOTPLT64, 1, 2, kDone, 0x1a},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(DescribeX86_64Relocation(c.type).is_known) << c.type;
    const Applied applied = Apply(c.type, c.symbol, c.addend);
    EXPECT_EQ(applied.result, c.result) << "relocation " << c.type << " to " << c.symbol;
    if (c.result == kDone) {
      EXPECT_EQ(applied.value, c.value) << "relocation " << c.type << " to " << c.symbol;
    }
  }
}

TEST(RelocationsX86_64Test, ThreadLocalOnesUseDescriptorsAndPlaces) {
  for (uint32_t type : {R_X86_64_GOTPC32_TLSDESC, R_X86_64_TLSGD, R_X86_64_TLSLD}) {
    EXPECT_TRUE(DescribeX86_64Relocation(type).uses_descriptor) << type;
    EXPECT_EQ(DescribeX86_64Relocation(type).uses_own_block, type == R_X86_64_TLSLD);
    const Applied applied = Apply(type, 0, -4);
    EXPECT_EQ(applied.result, RelocationResult::kDone);
    EXPECT_EQ(applied.value, kDescriptor - 4 - kPlace) << type;
  }
  for (uint32_t type : {R_X86_64_DTPOFF32, R_X86_64_DTPOFF64}) {
    EXPECT_TRUE(DescribeX86_64Relocation(type).is_place_in_block) << type;
    EXPECT_EQ(Apply(type, 0, 8).value, kPlaceInBlock + 8) << type;
  }
  EXPECT_EQ(DescribeX86_64Relocation(R_X86_64_TLSDESC_CALL).size, 0);
}

TEST(RelocationsX86_64Test, KnowsNeitherPlacesInProgramsNorDynamicRelocations) {
  for (uint32_t type : {R_X86_64_GOTTPOFF, R_X86_64_TPOFF32, R_X86_64_TPOFF64, R_X86_64_DTPMOD64,
                        R_X86_64_TLSDESC}) {
    EXPECT_FALSE(DescribeX86_64Relocation(type).is_known) << type;
    EXPECT_TRUE(DescribeX86_64Relocation(type).is_thread_local) << type;
  }
  for (uint32_t type : {R_X86_64_COPY, R_X86_64_RELATIVE, R_X86_64_IRELATIVE, 43, 1000}) {
    EXPECT_FALSE(DescribeX86_64Relocation(type).is_known) << type;
    EXPECT_FALSE(DescribeX86_64Relocation(type).is_thread_local) << type;
  }
}

// Applies a relocation to the distance at the end of `instruction`.
std::vector<uint8_t> ApplyTo(std::vector<uint8_t> instruction, uint32_t type, uint64_t symbol) {
  const std::vector<char> original(instruction.begin(), instruction.end());
  const RelocationAddresses addresses = {symbol, -4, kPlace, kEntry, kTable};
  EXPECT_EQ(ApplyX86_64Relocation(type, addresses, original, absl::MakeSpan(instruction),
                                  instruction.size() - 4),
            RelocationResult::kDone);
  return instruction;
}

constexpr uint64_t kNear = kPlace + 4 + 0x123456, kFar = kPlace + 5 * kGiB;

TEST(RelocationsX86_64Test, MoveFromTheTableBecomesLeaIfTheSymbolIsNear) {
  // mov foo@GOTPCREL(%rip), %r8
  const std::vector<uint8_t> move = {0x4c, 0x8b, 0x05, 0, 0, 0, 0};
  EXPECT_THAT(ApplyTo(move, R_X86_64_REX_GOTPCRELX, kNear),
              ElementsAre(0x4c, 0x8d, 0x05, 0x56, 0x34, 0x12, 0));
  EXPECT_THAT(ApplyTo(move, R_X86_64_REX_GOTPCRELX, kFar),
              ElementsAre(0x4c, 0x8b, 0x05, 0x14, 0x20, 0, 0));
  EXPECT_THAT(ApplyTo(move, R_X86_64_GOTPCREL, kNear),
              ElementsAre(0x4c, 0x8b, 0x05, 0x14, 0x20, 0, 0));
  // mov foo@GOTPCREL(%rip), %ecx
  EXPECT_THAT(ApplyTo({0x8b, 0x0d, 0, 0, 0, 0}, R_X86_64_GOTPCRELX, kNear),
              ElementsAre(0x8d, 0x0d, 0x56, 0x34, 0x12, 0));
}

TEST(RelocationsX86_64Test, CallAndJumpThroughTheTableBecomeDirectIfTheSymbolIsNear) {
  const std::vector<uint8_t> call = {0xff, 0x15, 0, 0, 0, 0}, jump = {0xff, 0x25, 0, 0, 0, 0};
  EXPECT_THAT(ApplyTo(call, R_X86_64_GOTPCRELX, kNear),
              ElementsAre(0x67, 0xe8, 0x56, 0x34, 0x12, 0));
  EXPECT_THAT(ApplyTo(call, R_X86_64_GOTPCRELX, kFar), ElementsAre(0xff, 0x15, 0x14, 0x20, 0, 0));
  EXPECT_THAT(ApplyTo(jump, R_X86_64_GOTPCRELX, kNear),
              ElementsAre(0xe9, 0x57, 0x34, 0x12, 0, 0x90));
  EXPECT_THAT(ApplyTo(jump, R_X86_64_GOTPCRELX, kFar), ElementsAre(0xff, 0x25, 0x14, 0x20, 0, 0));
  EXPECT_THAT(ApplyTo(call, R_X86_64_REX_GOTPCRELX, kNear),
              ElementsAre(0xff, 0x15, 0x14, 0x20, 0, 0));
}

TEST(RelocationsX86_64Test, OtherUsesOfTheTableStay) {
  // cmp foo@GOTPCREL(%rip), %rdi
  EXPECT_THAT(ApplyTo({0x48, 0x3b, 0x3d, 0, 0, 0, 0}, R_X86_64_REX_GOTPCRELX, kNear),
              ElementsAre(0x48, 0x3b, 0x3d, 0x14, 0x20, 0, 0));
  // mov with another addressing mode.
  EXPECT_THAT(ApplyTo({0x48, 0x8b, 0x85, 0, 0, 0, 0}, R_X86_64_REX_GOTPCRELX, kNear),
              ElementsAre(0x48, 0x8b, 0x85, 0x14, 0x20, 0, 0));
  // Nothing in front of the distance.
  EXPECT_THAT(ApplyTo({0, 0, 0, 0}, R_X86_64_GOTPCRELX, kNear), ElementsAre(0x14, 0x20, 0, 0));
}

TEST(RelocationsX86_64Test, AppliesAgainToOtherAddresses) {
  for (std::vector<uint8_t> instruction : {std::vector<uint8_t>{0x8b, 0x0d, 0, 0, 0, 0},
                                           {0xff, 0x15, 0, 0, 0, 0},
                                           {0xff, 0x25, 0, 0, 0, 0}}) {
    const std::vector<char> original(instruction.begin(), instruction.end());
    std::vector<uint8_t> once = ApplyTo(instruction, R_X86_64_GOTPCRELX, kFar);
    for (uint64_t symbol : {kNear, kFar}) {
      const RelocationAddresses addresses = {symbol, -4, kPlace, kEntry, kTable};
      ASSERT_EQ(ApplyX86_64Relocation(R_X86_64_GOTPCRELX, addresses, original,
                                      absl::MakeSpan(instruction), 2),
                RelocationResult::kDone);
    }
    EXPECT_EQ(instruction, once);
  }
}

TEST(RelocationsX86_64Test, JumpHasItsTargetBehindIt) {
  uint8_t jump[kX86_64JumpSize];
  WriteX86_64Jump(0x1122334455667788, jump);
  EXPECT_THAT(jump, ElementsAre(0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc, 0x88, 0x77, 0x66, 0x55, 0x44,
                                0x33, 0x22, 0x11));
}

}  // namespace
}  // namespace firstcall
