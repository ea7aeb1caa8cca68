#include "object/relocations_x86_64.h"

#include <elf.h>

#include <cstring>

namespace firstcall {
namespace {

void Write(uint64_t value, size_t size, uint8_t* place) { std::memcpy(place, &value, size); }

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

// What is written. The letters are those of the ABI (psABI, 4.4.1).
enum class Value : uint8_t {
  kNothing,
  kAddress,             // S + A
  kDistance,            // S + A - P
  kEntryDistance,       // G + GOT + A - P
  kTableDistance,       // GOT + A - P
  kFromTable,           // S + A - GOT
  kEntryFromTable,      // G + A
  kDescriptorDistance,  // GOT entry of a thread-local variable + A - P
  kPlaceInBlock,        // S + A, from the beginning of the object's thread-local block
};

// Which values fit into fewer than 64 bits.
enum class Fit : uint8_t { kSigned, kUnsigned, kEither };

struct Kind {
  RelocationKindInfo info;
  Value value = Value::kNothing;
  Fit fit = Fit::kSigned;
  bool may_be_relaxed = false;
};

constexpr Kind Make(Value value, uint8_t size, McjitSupport mcjit = McjitSupport::kNo) {
  Kind kind;
  kind.value = value;
  kind.info.is_known = true;
  kind.info.size = size;
  kind.info.mcjit = mcjit;
  kind.info.is_address = value == Value::kAddress && size == 8;
  kind.info.is_absolute = value == Value::kAddress && size < 8;
  kind.info.uses_entry = value == Value::kEntryDistance || value == Value::kEntryFromTable;
  kind.info.uses_table = value == Value::kTableDistance || value == Value::kFromTable ||
                         value == Value::kEntryFromTable;
  if (kind.info.is_absolute || (value == Value::kDistance && size < 4)) {
    kind.info.reach = RelocationReach::kNone;
  } else if (value == Value::kDistance && size == 4) {
    kind.info.reach = RelocationReach::kNear;
  }
  return kind;
}

// Compiled code calls a descriptor's resolver; other code calls __tls_get_addr, which is one that
// takes descriptors, too (runtime/process/host_thread_locals.h).
constexpr Kind MakeThreadLocal(Value value, uint8_t size) {
  Kind kind = Make(value, size);
  kind.info.is_thread_local = true;
  kind.info.uses_descriptor = value == Value::kDescriptorDistance;
  kind.info.is_place_in_block = value == Value::kPlaceInBlock;
  return kind;
}

constexpr Kind MakeAbsolute(uint8_t size, Fit fit) {
  Kind kind = Make(Value::kAddress, size);
  kind.fit = fit;
  return kind;
}

constexpr Kind Describe(uint32_t type) {
  constexpr auto kMcjit = McjitSupport::kYes;
  Kind kind;
  switch (type) {
    case R_X86_64_NONE:
      return Make(Value::kNothing, 0, kMcjit);
    case R_X86_64_64:
      return Make(Value::kAddress, 8, kMcjit);
    case R_X86_64_32:
      return MakeAbsolute(4, Fit::kUnsigned);
    case R_X86_64_32S:
      return MakeAbsolute(4, Fit::kSigned);
    case R_X86_64_16:
      return MakeAbsolute(2, Fit::kEither);
    case R_X86_64_8:
      return MakeAbsolute(1, Fit::kEither);
    case R_X86_64_PC64:
      return Make(Value::kDistance, 8, kMcjit);
    case R_X86_64_PC32:
      kind = Make(Value::kDistance, 4, kMcjit);
      kind.info.may_be_call = true;
      return kind;
    case R_X86_64_PC16:
      return Make(Value::kDistance, 2);
    case R_X86_64_PC8:
      return Make(Value::kDistance, 1);
    case R_X86_64_PLT32:
      // For a function of another object MCJIT makes a jump behind the section, which cannot run
      // there if the section is data, such as a table of distances to functions.
      kind = Make(Value::kDistance, 4, McjitSupport::kInCode);
      kind.info.reach = RelocationReach::kAny;
      kind.info.may_use_jump = true;
      kind.info.may_be_call = true;
      return kind;
    case R_X86_64_GOTPCREL:
      return Make(Value::kEntryDistance, 4, kMcjit);
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      kind = Make(Value::kEntryDistance, 4, kMcjit);
      kind.may_be_relaxed = true;
      return kind;
    case R_X86_64_GOTPCREL64:
      return Make(Value::kEntryDistance, 8);
    case R_X86_64_GOTPC32:
      return Make(Value::kTableDistance, 4);
    case R_X86_64_GOTPC64:
      return Make(Value::kTableDistance, 8, kMcjit);
    case R_X86_64_GOTOFF64:
      return Make(Value::kFromTable, 8, kMcjit);
    case R_X86_64_PLTOFF64:
      return Make(Value::kFromTable, 8);
    case R_X86_64_GOT32:
      return Make(Value::kEntryFromTable, 4);
    case R_X86_64_GOT64:
      return Make(Value::kEntryFromTable, 8, kMcjit);
    case R_X86_64_GOTPLT64:
      return Make(Value::kEntryFromTable, 8);
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_TLSGD:
      return MakeThreadLocal(Value::kDescriptorDistance, 4);
    case R_X86_64_TLSLD:
      kind = MakeThreadLocal(Value::kDescriptorDistance, 4);
      kind.info.uses_own_block = true;
      return kind;
    case R_X86_64_TLSDESC_CALL:
      return MakeThreadLocal(Value::kNothing, 0);
    case R_X86_64_DTPOFF32:
      return MakeThreadLocal(Value::kPlaceInBlock, 4);
    case R_X86_64_DTPOFF64:
      return MakeThreadLocal(Value::kPlaceInBlock, 8);
    case R_X86_64_DTPMOD64:
    case R_X86_64_TPOFF64:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_TPOFF32:
    case R_X86_64_TLSDESC:
      kind.info.is_thread_local = true;
      return kind;
    default:
      return kind;
  }
}

// All kinds: they are looked up for every relocation of a program.
struct Kinds {
  constexpr Kinds() {
    for (uint32_t type = 0; type < kCount; ++type) of[type] = Describe(type);
  }
  static constexpr uint32_t kCount = R_X86_64_REX_GOTPCRELX + 1;
  Kind of[kCount];
};
constexpr Kinds kKinds;
constexpr Kind kUnknown;

const Kind& KindOf(uint32_t type) { return type < Kinds::kCount ? kKinds.of[type] : kUnknown; }

uint64_t ValueOf(Value value, const RelocationAddresses& to) {
  const auto addend = static_cast<uint64_t>(to.addend);
  switch (value) {
    case Value::kNothing:
      return 0;
    case Value::kAddress:
      return to.symbol + addend;
    case Value::kDistance:
      return to.symbol + addend - to.place;
    case Value::kEntryDistance:
      return to.entry + addend - to.place;
    case Value::kTableDistance:
      return to.table + addend - to.place;
    case Value::kFromTable:
      return to.symbol + addend - to.table;
    case Value::kEntryFromTable:
      return to.entry + addend - to.table;
    case Value::kDescriptorDistance:
      return to.descriptor + addend - to.place;
    case Value::kPlaceInBlock:
      return to.place_in_block + addend;
  }
  return 0;
}

bool Fits(uint64_t value, Fit fit, int bits) {
  switch (fit) {
    case Fit::kSigned:
      return FitsSigned(static_cast<int64_t>(value), bits);
    case Fit::kUnsigned:
      return value >> bits == 0;
    case Fit::kEither:
      return FitsEither(value, bits);
  }
  return false;
}

}  // namespace

const RelocationKindInfo& DescribeX86_64Relocation(uint32_t type) { return KindOf(type).info; }

RelocationResult ApplyX86_64Relocation(uint32_t type, const RelocationAddresses& to,
                                       absl::Span<const char> original, absl::Span<uint8_t> section,
                                       size_t offset) {
  const Kind& kind = KindOf(type);
  if (kind.may_be_relaxed) {
    if (Relax(type, to, original, section, offset)) return RelocationResult::kDone;
    Restore(original, section, offset);
  }
  const size_t size = kind.info.size;
  const uint64_t value = ValueOf(kind.value, to);
  if (size != 0 && size < 8 && !Fits(value, kind.fit, static_cast<int>(8 * size))) {
    return kind.info.is_absolute ? RelocationResult::kTooHigh : RelocationResult::kOutOfReach;
  }
  Write(value, size, section.data() + offset);
  return RelocationResult::kDone;
}

void WriteX86_64Jump(uint64_t target, uint8_t* jump) {
  // jmp *2(%rip); the address stands behind two bytes that are never run.
  constexpr uint8_t kJump[8] = {0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc};
  std::memcpy(jump, kJump, sizeof(kJump));
  Write(target, 8, jump + 8);
}

}  // namespace firstcall
