#include "object/relocations_x86_64.h"

#include <elf.h>

#include <cstring>

namespace firstcall {
namespace {

constexpr RelocationKindInfo Known(uint8_t size) {
  RelocationKindInfo info;
  info.is_known = true;
  info.size = size;
  return info;
}

void Write(uint64_t value, size_t size, uint8_t* place) { std::memcpy(place, &value, size); }

RelocationResult WriteDistance(uint64_t value, size_t size, uint8_t* place) {
  if (size < 8 && !FitsSigned(static_cast<int64_t>(value), static_cast<int>(8 * size))) {
    return RelocationResult::kOutOfReach;
  }
  Write(value, size, place);
  return RelocationResult::kDone;
}

// Changes an instruction that reads the address of a symbol from the offset table. False if the
// instruction is not one of those, or the symbol is out of reach.
//
//   mov  foo@GOTPCREL(%rip), %reg  ->  lea  foo(%rip), %reg
//   call *foo@GOTPCREL(%rip)       ->  addr32 call foo
//   jmp  *foo@GOTPCREL(%rip)       ->  jmp foo; nop
bool Relax(uint32_t type, const RelocationAddresses& to, absl::Span<const char> original,
           absl::Span<uint8_t> section, size_t offset) {
  // The distance counts from behind the instruction, which ends with it.
  if (to.addend != -4 || offset < 2 || original.size() < offset) return false;
  const auto opcode = static_cast<uint8_t>(original[offset - 2]);
  const auto operands = static_cast<uint8_t>(original[offset - 1]);
  const auto distance = static_cast<int64_t>(to.symbol - (to.place + 4));
  uint8_t* const instruction = section.data() + offset - 2;
  if (opcode == 0x8b && (operands & 0xc7) == 0x05) {
    if (!FitsSigned(distance, 32)) return false;
    instruction[0] = 0x8d;
    Write(static_cast<uint64_t>(distance), 4, instruction + 2);
    return true;
  }
  if (type != R_X86_64_GOTPCRELX) return false;  // Calls and jumps have no REX prefix.
  if (opcode == 0xff && operands == 0x15) {
    if (!FitsSigned(distance, 32)) return false;
    instruction[0] = 0x67;
    instruction[1] = 0xe8;
    Write(static_cast<uint64_t>(distance), 4, instruction + 2);
    return true;
  }
  // The jump is one byte shorter than before.
  if (opcode == 0xff && operands == 0x25 && FitsSigned(distance + 1, 32)) {
    instruction[0] = 0xe9;
    Write(static_cast<uint64_t>(distance + 1), 4, instruction + 1);
    instruction[5] = 0x90;
    return true;
  }
  return false;
}

// Undoes what Relax did when the relocation was applied before.
void Restore(absl::Span<const char> original, absl::Span<uint8_t> section, size_t offset) {
  if (offset < 2 || original.size() < offset) return;
  std::memcpy(section.data() + offset - 2, original.data() + offset - 2, 2);
}

constexpr RelocationKindInfo Describe(uint32_t type) {
  RelocationKindInfo info;
  switch (type) {
    case R_X86_64_NONE:
      return Known(0);
    case R_X86_64_64:
      info = Known(8);
      info.is_address = true;
      return info;
    case R_X86_64_PC64:
      return Known(8);
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_PC32:
      return Known(4);
    case R_X86_64_16:
    case R_X86_64_PC16:
      return Known(2);
    case R_X86_64_8:
    case R_X86_64_PC8:
      return Known(1);
    case R_X86_64_PLT32:
      info = Known(4);
      info.may_use_jump = true;
      return info;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      info = Known(4);
      info.uses_entry = true;
      return info;
    case R_X86_64_GOTPCREL64:
      info = Known(8);
      info.uses_entry = true;
      return info;
    case R_X86_64_GOTPC32:
      info = Known(4);
      info.uses_table = true;
      return info;
    case R_X86_64_GOTPC64:
    case R_X86_64_GOTOFF64:
    case R_X86_64_PLTOFF64:
      info = Known(8);
      info.uses_table = true;
      return info;
    case R_X86_64_GOT32:
      info = Known(4);
      info.uses_entry = true;
      info.uses_table = true;
      return info;
    case R_X86_64_GOT64:
    case R_X86_64_GOTPLT64:
      info = Known(8);
      info.uses_entry = true;
      info.uses_table = true;
      return info;
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_TPOFF32:
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_TLSDESC_CALL:
    case R_X86_64_TLSDESC:
      info.is_thread_local = true;
      return info;
    default:
      return info;
  }
}

// All kinds: they are looked up for every relocation of a program.
struct Kinds {
  constexpr Kinds() {
    for (uint32_t type = 0; type < kCount; ++type) of[type] = Describe(type);
  }
  static constexpr uint32_t kCount = R_X86_64_REX_GOTPCRELX + 1;
  RelocationKindInfo of[kCount];
};
constexpr Kinds kKinds;
constexpr RelocationKindInfo kUnknown;

}  // namespace

const RelocationKindInfo& DescribeX86_64Relocation(uint32_t type) {
  return type < Kinds::kCount ? kKinds.of[type] : kUnknown;
}

RelocationResult ApplyX86_64Relocation(uint32_t type, const RelocationAddresses& to,
                                       absl::Span<const char> original, absl::Span<uint8_t> section,
                                       size_t offset) {
  uint8_t* const place = section.data() + offset;
  const size_t size = DescribeX86_64Relocation(type).size;
  const auto addend = static_cast<uint64_t>(to.addend);
  switch (type) {
    case R_X86_64_64:
      Write(to.symbol + addend, 8, place);
      return RelocationResult::kDone;
    case R_X86_64_32:
      if ((to.symbol + addend) >> 32 != 0) return RelocationResult::kTooHigh;
      Write(to.symbol + addend, 4, place);
      return RelocationResult::kDone;
    case R_X86_64_32S:
      if (!FitsSigned(static_cast<int64_t>(to.symbol + addend), 32)) {
        return RelocationResult::kTooHigh;
      }
      Write(to.symbol + addend, 4, place);
      return RelocationResult::kDone;
    case R_X86_64_16:
    case R_X86_64_8:
      if (!FitsEither(to.symbol + addend, static_cast<int>(8 * size))) {
        return RelocationResult::kTooHigh;
      }
      Write(to.symbol + addend, size, place);
      return RelocationResult::kDone;
    case R_X86_64_PC64:
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_PC16:
    case R_X86_64_PC8:
      return WriteDistance(to.symbol + addend - to.place, size, place);
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      if (Relax(type, to, original, section, offset)) return RelocationResult::kDone;
      Restore(original, section, offset);
      return WriteDistance(to.entry + addend - to.place, size, place);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCREL64:
      return WriteDistance(to.entry + addend - to.place, size, place);
    case R_X86_64_GOTPC32:
    case R_X86_64_GOTPC64:
      return WriteDistance(to.table + addend - to.place, size, place);
    case R_X86_64_GOTOFF64:
    case R_X86_64_PLTOFF64:
      return WriteDistance(to.symbol + addend - to.table, size, place);
    case R_X86_64_GOT32:
    case R_X86_64_GOT64:
    case R_X86_64_GOTPLT64:
      return WriteDistance(to.entry + addend - to.table, size, place);
    default:
      return RelocationResult::kDone;
  }
}

void WriteX86_64Jump(uint64_t target, uint8_t* jump) {
  // jmp *2(%rip); the address stands behind two bytes that are never run.
  constexpr uint8_t kJump[8] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
  std::memcpy(jump, kJump, sizeof(kJump));
  Write(target, 8, jump + 8);
}

}  // namespace firstcall
