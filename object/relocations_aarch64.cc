#include "object/relocations_aarch64.h"

#include <elf.h>

#include <cstring>

namespace firstcall {
namespace {

// Missing from older versions of elf.h.
constexpr uint32_t kPlt32 = 314;
// The older number of the relocation that does nothing.
constexpr uint32_t kNone = 256;

// An address's page of 4 KiB, which is what ADRP computes.
uint64_t Page(uint64_t address) { return address & ~uint64_t{0xfff}; }

void WriteData(uint64_t value, size_t size, uint8_t* place) { std::memcpy(place, &value, size); }

// Replaces `bits` bits of the instruction at `place`, from bit `low` on.
void WriteField(uint64_t value, int bits, int low, uint8_t* place) {
  uint32_t instruction;
  std::memcpy(&instruction, place, sizeof(instruction));
  const auto mask = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  instruction &= ~(mask << low);
  instruction |= (static_cast<uint32_t>(value) & mask) << low;
  std::memcpy(place, &instruction, sizeof(instruction));
}

// ADR and ADRP have the low two bits of their operand apart.
void WriteAdrField(uint64_t value, uint8_t* place) {
  WriteField(value, 2, 29, place);
  WriteField(value >> 2, 19, 5, place);
}

RelocationResult WriteDistance(uint64_t distance, size_t size, uint8_t* place) {
  if (size < 8 && !FitsSigned(static_cast<int64_t>(distance), static_cast<int>(8 * size))) {
    return RelocationResult::kOutOfReach;
  }
  WriteData(distance, size, place);
  return RelocationResult::kDone;
}

RelocationResult WriteAddress(uint64_t address, size_t size, uint8_t* place) {
  if (size < 8 && !FitsEither(address, static_cast<int>(8 * size))) {
    return RelocationResult::kTooHigh;
  }
  WriteData(address, size, place);
  return RelocationResult::kDone;
}

// A distance in instructions, in a field of `bits` bits from bit `low` on.
RelocationResult WriteBranch(uint64_t distance, int bits, int low, uint8_t* place) {
  if (!FitsSigned(static_cast<int64_t>(distance), bits + 2)) return RelocationResult::kOutOfReach;
  if (distance % 4 != 0) return RelocationResult::kNotAligned;
  WriteField(distance >> 2, bits, low, place);
  return RelocationResult::kDone;
}

RelocationResult WritePageDistance(uint64_t target, uint64_t place_address, bool is_checked,
                                   uint8_t* place) {
  const uint64_t distance = Page(target) - Page(place_address);
  if (is_checked && !FitsSigned(static_cast<int64_t>(distance), 33)) {
    return RelocationResult::kOutOfReach;
  }
  WriteAdrField(distance >> 12, place);
  return RelocationResult::kDone;
}

// The place of an address in its page, in units of 2^`scale` bytes.
RelocationResult WriteLow12(uint64_t address, int scale, uint8_t* place) {
  if (address % (uint64_t{1} << scale) != 0) return RelocationResult::kNotAligned;
  WriteField((address & 0xfff) >> scale, 12, 10, place);
  return RelocationResult::kDone;
}

// Bits 16 * `group` to 16 * `group` + 15 of an address, of which no higher bit may be set if it is
// checked.
RelocationResult WriteMove(uint64_t address, int group, bool is_checked, uint8_t* place) {
  if (is_checked && group < 3 && address >> (16 * group + 16) != 0) {
    return RelocationResult::kTooHigh;
  }
  WriteField(address >> (16 * group), 16, 5, place);
  return RelocationResult::kDone;
}

constexpr RelocationKindInfo Known(uint8_t size) {
  RelocationKindInfo info;
  info.is_known = true;
  info.size = size;
  return info;
}

constexpr RelocationKindInfo Describe(uint32_t type) {
  RelocationKindInfo info;
  switch (type) {
    case R_AARCH64_NONE:
    case kNone:
      return Known(0);
    case R_AARCH64_ABS64:
      info = Known(8);
      info.is_address = true;
      return info;
    case R_AARCH64_PREL64:
      return Known(8);
    case R_AARCH64_ABS16:
    case R_AARCH64_PREL16:
      return Known(2);
    case R_AARCH64_ABS32:
    case R_AARCH64_PREL32:
    case R_AARCH64_MOVW_UABS_G0:
    case R_AARCH64_MOVW_UABS_G0_NC:
    case R_AARCH64_MOVW_UABS_G1:
    case R_AARCH64_MOVW_UABS_G1_NC:
    case R_AARCH64_MOVW_UABS_G2:
    case R_AARCH64_MOVW_UABS_G2_NC:
    case R_AARCH64_MOVW_UABS_G3:
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_ADR_PREL_LO21:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_TSTBR14:
    case R_AARCH64_CONDBR19:
      return Known(4);
    case kPlt32:
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      info = Known(4);
      info.may_use_jump = true;
      return info;
    case R_AARCH64_GOT_LD_PREL19:
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      info = Known(4);
      info.uses_entry = true;
      info.takes_no_addend = true;
      return info;
    case R_AARCH64_LD64_GOTPAGE_LO15:
      info = Known(4);
      info.uses_entry = true;
      info.takes_no_addend = true;
      info.uses_table = true;
      return info;
    default:
      // The ABI reserves these numbers for static relocations of thread-local variables.
      info.is_thread_local =
          type >= R_AARCH64_TLSGD_ADR_PREL21 && type <= R_AARCH64_TLSLD_LDST128_DTPREL_LO12_NC;
      return info;
  }
}

// All kinds, up to those of dynamic linking: they are looked up for every relocation of a program.
struct Kinds {
  constexpr Kinds() {
    for (uint32_t type = 0; type < kCount; ++type) of[type] = Describe(type);
  }
  static constexpr uint32_t kCount = R_AARCH64_COPY;
  RelocationKindInfo of[kCount];
};
constexpr Kinds kKinds;
constexpr RelocationKindInfo kUnknown;

}  // namespace

const RelocationKindInfo& DescribeAArch64Relocation(uint32_t type) {
  return type < Kinds::kCount ? kKinds.of[type] : kUnknown;
}

RelocationResult ApplyAArch64Relocation(uint32_t type, const RelocationAddresses& to,
                                        uint8_t* place) {
  const size_t size = DescribeAArch64Relocation(type).size;
  const uint64_t target = to.symbol + static_cast<uint64_t>(to.addend);
  switch (type) {
    case R_AARCH64_ABS64:
    case R_AARCH64_ABS32:
    case R_AARCH64_ABS16:
      return WriteAddress(target, size, place);
    case R_AARCH64_PREL64:
    case R_AARCH64_PREL32:
    case R_AARCH64_PREL16:
    case kPlt32:
      return WriteDistance(target - to.place, size, place);
    case R_AARCH64_MOVW_UABS_G0:
      return WriteMove(target, 0, /*is_checked=*/true, place);
    case R_AARCH64_MOVW_UABS_G0_NC:
      return WriteMove(target, 0, /*is_checked=*/false, place);
    case R_AARCH64_MOVW_UABS_G1:
      return WriteMove(target, 1, /*is_checked=*/true, place);
    case R_AARCH64_MOVW_UABS_G1_NC:
      return WriteMove(target, 1, /*is_checked=*/false, place);
    case R_AARCH64_MOVW_UABS_G2:
      return WriteMove(target, 2, /*is_checked=*/true, place);
    case R_AARCH64_MOVW_UABS_G2_NC:
      return WriteMove(target, 2, /*is_checked=*/false, place);
    case R_AARCH64_MOVW_UABS_G3:
      return WriteMove(target, 3, /*is_checked=*/false, place);
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19:
      return WriteBranch(target - to.place, 19, 5, place);
    case R_AARCH64_TSTBR14:
      return WriteBranch(target - to.place, 14, 5, place);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      return WriteBranch(target - to.place, 26, 0, place);
    case R_AARCH64_ADR_PREL_LO21:
      if (!FitsSigned(static_cast<int64_t>(target - to.place), 21)) {
        return RelocationResult::kOutOfReach;
      }
      WriteAdrField(target - to.place, place);
      return RelocationResult::kDone;
    case R_AARCH64_ADR_PREL_PG_HI21:
      return WritePageDistance(target, to.place, /*is_checked=*/true, place);
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
      return WritePageDistance(target, to.place, /*is_checked=*/false, place);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return WriteLow12(target, 0, place);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return WriteLow12(target, 1, place);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return WriteLow12(target, 2, place);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return WriteLow12(target, 3, place);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return WriteLow12(target, 4, place);
    case R_AARCH64_GOT_LD_PREL19:
      return WriteBranch(to.entry - to.place, 19, 5, place);
    case R_AARCH64_ADR_GOT_PAGE:
      return WritePageDistance(to.entry, to.place, /*is_checked=*/true, place);
    case R_AARCH64_LD64_GOT_LO12_NC:
      return WriteLow12(to.entry, 3, place);
    case R_AARCH64_LD64_GOTPAGE_LO15: {
      const uint64_t distance = to.entry - Page(to.table);
      if (distance >> 15 != 0) return RelocationResult::kOutOfReach;
      if (distance % 8 != 0) return RelocationResult::kNotAligned;
      WriteField(distance >> 3, 12, 10, place);
      return RelocationResult::kDone;
    }
    default:
      return RelocationResult::kDone;
  }
}

void WriteAArch64Jump(uint64_t target, uint8_t* jump) {
  constexpr uint32_t kJump[2] = {0x58000050,   // ldr x16, 8 bytes further on
                                 0xd61f0200};  // br x16
  std::memcpy(jump, kJump, sizeof(kJump));
  WriteData(target, 8, jump + 8);
}

}  // namespace firstcall
