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

// What is written. The letters are those of the ABI (ELF for the Arm 64-bit Architecture, 5.7).
enum class Value : uint8_t {
  kNothing,
  kAddress,            // S + A
  kDistance,           // S + A - P
  kPageDistance,       // Page(S + A) - Page(P)
  kEntryAddress,       // G(GDAT(S))
  kEntryDistance,      // G(GDAT(S)) - P
  kEntryPageDistance,  // Page(G(GDAT(S))) - Page(P)
  kEntryFromTable,     // G(GDAT(S)) - Page(GOT)
  // The same for the descriptor of a thread-local variable: G(GTLSDESC(S)) of compiled code, which
  // calls the descriptor's resolver, and G(GTLSIDX(S)) of code that calls __tls_get_addr, which is
  // one that takes descriptors, too (runtime/process/host_thread_locals.h).
  kDescriptorAddress,
  kDescriptorDistance,
  kDescriptorPageDistance,
};

// Where the value goes.
enum class Field : uint8_t {
  kData,    // All of `size` bytes.
  kBranch,  // Instructions, in `bits` bits of an instruction from bit `low` on.
  kAdr,     // Bytes, in the two fields of ADR.
  kAdrp,    // Pages, in the same fields.
  kLow12,   // The place in its page, in units of 2^`scale` bytes.
  kMove,    // Bits 16 * `group` to 16 * `group` + 15.
  kLow15,   // Units of eight bytes, below 2^15.
};

struct Kind {
  RelocationKindInfo info;
  Value value = Value::kNothing;
  Field field = Field::kData;
  // The bits of kBranch, the scale of kLow12, the group of kMove.
  uint8_t parameter = 0;
  bool is_checked = true;  // Whether a value that does not fit is an error.
};

constexpr Kind Make(Value value, Field field, uint8_t size, uint8_t parameter = 0) {
  Kind kind;
  kind.value = value;
  kind.field = field;
  kind.parameter = parameter;
  kind.info.is_known = true;
  kind.info.size = size;
  kind.info.is_address = value == Value::kAddress && field == Field::kData && size == 8;
  kind.info.is_absolute = value == Value::kAddress && field == Field::kData && size < 8;
  kind.info.uses_entry = value >= Value::kEntryAddress && value <= Value::kEntryFromTable;
  kind.info.uses_descriptor = value >= Value::kDescriptorAddress;
  kind.info.is_thread_local = kind.info.uses_descriptor;
  kind.info.takes_no_addend = kind.info.uses_entry || kind.info.uses_descriptor;
  kind.info.uses_table = value == Value::kEntryFromTable;
  return kind;
}

constexpr Kind With(Kind kind, RelocationReach reach) {
  kind.info.reach = reach;
  return kind;
}

constexpr Kind KnownToMcjit(Kind kind) {
  kind.info.mcjit = McjitSupport::kYes;
  return kind;
}

constexpr Kind Unchecked(Kind kind) {
  kind.is_checked = false;
  return kind;
}

constexpr Kind Data(Value value, uint8_t size) { return Make(value, Field::kData, size); }

constexpr Kind Branch(Value value, uint8_t bits) { return Make(value, Field::kBranch, 4, bits); }

constexpr Kind Low12(uint8_t scale) {
  return KnownToMcjit(Make(Value::kAddress, Field::kLow12, 4, scale));
}

constexpr Kind Move(uint8_t group) { return Make(Value::kAddress, Field::kMove, 4, group); }

constexpr Kind Describe(uint32_t type) {
  constexpr auto kNear = RelocationReach::kNear;
  constexpr auto kNowhere = RelocationReach::kNone;
  Kind kind;
  switch (type) {
    case R_AARCH64_NONE:
      return KnownToMcjit(Data(Value::kNothing, 0));
    case kNone:
      return Data(Value::kNothing, 0);
    case R_AARCH64_ABS64:
      return KnownToMcjit(Data(Value::kAddress, 8));
    case R_AARCH64_ABS32:
      return With(Data(Value::kAddress, 4), kNowhere);
    case R_AARCH64_ABS16:
      return With(Data(Value::kAddress, 2), kNowhere);
    case R_AARCH64_PREL64:
      return KnownToMcjit(Data(Value::kDistance, 8));
    case R_AARCH64_PREL32:
      return KnownToMcjit(With(Data(Value::kDistance, 4), kNear));
    case R_AARCH64_PREL16:
      return With(Data(Value::kDistance, 2), kNowhere);
    case kPlt32:
      kind = With(Data(Value::kDistance, 4), kNear);
      kind.info.may_use_jump = true;
      return kind;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      kind = KnownToMcjit(Branch(Value::kDistance, 26));
      kind.info.may_use_jump = true;
      kind.info.may_be_call = true;
      return kind;
    case R_AARCH64_MOVW_UABS_G0:
      return Move(0);
    case R_AARCH64_MOVW_UABS_G0_NC:
      return KnownToMcjit(Unchecked(Move(0)));
    case R_AARCH64_MOVW_UABS_G1:
      return Move(1);
    case R_AARCH64_MOVW_UABS_G1_NC:
      return KnownToMcjit(Unchecked(Move(1)));
    case R_AARCH64_MOVW_UABS_G2:
      return Move(2);
    case R_AARCH64_MOVW_UABS_G2_NC:
      return KnownToMcjit(Unchecked(Move(2)));
    case R_AARCH64_MOVW_UABS_G3:
      return KnownToMcjit(Unchecked(Move(3)));
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19:
      return With(Branch(Value::kDistance, 19), kNowhere);
    case R_AARCH64_TSTBR14:
      return With(Branch(Value::kDistance, 14), kNowhere);
    case R_AARCH64_ADR_PREL_LO21:
      return With(Make(Value::kDistance, Field::kAdr, 4), kNowhere);
    case R_AARCH64_ADR_PREL_PG_HI21:
      return KnownToMcjit(With(Make(Value::kPageDistance, Field::kAdrp, 4), kNear));
    case R_AARCH64_ADR_PREL_PG_HI21_NC:
      return Unchecked(Make(Value::kPageDistance, Field::kAdrp, 4));
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
      return Low12(0);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return Low12(1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return Low12(2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
      return Low12(3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return Low12(4);
    case R_AARCH64_GOT_LD_PREL19:
      return Branch(Value::kEntryDistance, 19);
    case R_AARCH64_ADR_GOT_PAGE:
      return KnownToMcjit(Make(Value::kEntryPageDistance, Field::kAdrp, 4));
    case R_AARCH64_LD64_GOT_LO12_NC:
      return KnownToMcjit(Make(Value::kEntryAddress, Field::kLow12, 4, 3));
    case R_AARCH64_LD64_GOTPAGE_LO15:
      return Make(Value::kEntryFromTable, Field::kLow15, 4);
    case R_AARCH64_TLSDESC_ADR_PAGE21:
    case R_AARCH64_TLSGD_ADR_PAGE21:
      return Make(Value::kDescriptorPageDistance, Field::kAdrp, 4);
    case R_AARCH64_TLSDESC_LD64_LO12:
      return Make(Value::kDescriptorAddress, Field::kLow12, 4, 3);
    case R_AARCH64_TLSDESC_ADD_LO12:
    case R_AARCH64_TLSGD_ADD_LO12_NC:
      return Make(Value::kDescriptorAddress, Field::kLow12, 4, 0);
    case R_AARCH64_TLSDESC_ADR_PREL21:
    case R_AARCH64_TLSGD_ADR_PREL21:
      return Make(Value::kDescriptorDistance, Field::kAdr, 4);
    case R_AARCH64_TLSDESC_LD_PREL19:
      return Make(Value::kDescriptorDistance, Field::kBranch, 4, 19);
    case R_AARCH64_TLSDESC_CALL:
      kind = Data(Value::kNothing, 0);
      kind.info.is_thread_local = true;
      return kind;
    default:
      // The ABI reserves these numbers for static relocations of thread-local variables.
      kind.info.is_thread_local =
          type >= R_AARCH64_TLSGD_ADR_PREL21 && type <= R_AARCH64_TLSLD_LDST128_DTPREL_LO12_NC;
      return kind;
  }
}

// All kinds, up to those of dynamic linking: they are looked up for every relocation of a program.
struct Kinds {
  constexpr Kinds() {
    for (uint32_t type = 0; type < kCount; ++type) of[type] = Describe(type);
  }
  static constexpr uint32_t kCount = R_AARCH64_COPY;
  Kind of[kCount];
};
constexpr Kinds kKinds;
constexpr Kind kUnknown;

const Kind& KindOf(uint32_t type) { return type < Kinds::kCount ? kKinds.of[type] : kUnknown; }

uint64_t ValueOf(Value value, const RelocationAddresses& to) {
  const uint64_t target = to.symbol + static_cast<uint64_t>(to.addend);
  switch (value) {
    case Value::kNothing:
      return 0;
    case Value::kAddress:
      return target;
    case Value::kDistance:
      return target - to.place;
    case Value::kPageDistance:
      return Page(target) - Page(to.place);
    case Value::kEntryAddress:
      return to.entry;
    case Value::kEntryDistance:
      return to.entry - to.place;
    case Value::kEntryPageDistance:
      return Page(to.entry) - Page(to.place);
    case Value::kEntryFromTable:
      return to.entry - Page(to.table);
    case Value::kDescriptorAddress:
      return to.descriptor;
    case Value::kDescriptorDistance:
      return to.descriptor - to.place;
    case Value::kDescriptorPageDistance:
      return Page(to.descriptor) - Page(to.place);
  }
  return 0;
}

RelocationResult WriteAll(uint64_t value, const Kind& kind, uint8_t* place) {
  const auto bits = static_cast<int>(8 * kind.info.size);
  if (bits == 0) return RelocationResult::kDone;
  if (kind.info.is_absolute && !FitsEither(value, bits)) return RelocationResult::kTooHigh;
  if (kind.value == Value::kDistance && bits < 64 &&
      !FitsSigned(static_cast<int64_t>(value), bits)) {
    return RelocationResult::kOutOfReach;
  }
  WriteData(value, kind.info.size, place);
  return RelocationResult::kDone;
}

}  // namespace

const RelocationKindInfo& DescribeAArch64Relocation(uint32_t type) { return KindOf(type).info; }

RelocationResult ApplyAArch64Relocation(uint32_t type, const RelocationAddresses& to,
                                        uint8_t* place) {
  const Kind& kind = KindOf(type);
  const uint64_t value = ValueOf(kind.value, to);
  const auto distance = static_cast<int64_t>(value);
  const int parameter = kind.parameter;
  switch (kind.field) {
    case Field::kData:
      return WriteAll(value, kind, place);
    case Field::kBranch:
      if (!FitsSigned(distance, parameter + 2)) return RelocationResult::kOutOfReach;
      if (value % 4 != 0) return RelocationResult::kNotAligned;
      // A branch that is always taken has its distance at the end, the others behind their operand.
      WriteField(value >> 2, parameter, parameter == 26 ? 0 : 5, place);
      return RelocationResult::kDone;
    case Field::kAdr:
      if (!FitsSigned(distance, 21)) return RelocationResult::kOutOfReach;
      WriteAdrField(value, place);
      return RelocationResult::kDone;
    case Field::kAdrp:
      if (kind.is_checked && !FitsSigned(distance, 33)) return RelocationResult::kOutOfReach;
      WriteAdrField(value >> 12, place);
      return RelocationResult::kDone;
    case Field::kLow12:
      if (value % (uint64_t{1} << parameter) != 0) return RelocationResult::kNotAligned;
      WriteField((value & 0xfff) >> parameter, 12, 10, place);
      return RelocationResult::kDone;
    case Field::kMove:
      if (kind.is_checked && value >> (16 * parameter + 16) != 0) return RelocationResult::kTooHigh;
      WriteField(value >> (16 * parameter), 16, 5, place);
      return RelocationResult::kDone;
    case Field::kLow15:
      if (value >> 15 != 0) return RelocationResult::kOutOfReach;
      if (value % 8 != 0) return RelocationResult::kNotAligned;
      WriteField(value >> 3, 12, 10, place);
      return RelocationResult::kDone;
  }
  return RelocationResult::kDone;
}

void WriteAArch64Jump(uint64_t target, uint8_t* jump) {
  constexpr uint32_t kJump[2] = {0x58000050,   // ldr x16, 8 bytes further on
                                 0xd61f0200};  // br x16
  std::memcpy(jump, kJump, sizeof(kJump));
  WriteData(target, 8, jump + 8);
}

}  // namespace firstcall
