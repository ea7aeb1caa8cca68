#include "backend/baseline/assembler_aarch64.h"

#include <cstring>
#include <vector>

namespace firstcall::baseline::aarch64 {
namespace {

// Fixup::form: the field that takes the distance.
enum Form : uint8_t {
  kBranch26,  // Words, in B and BL.
  kWords19,   // Words, in B.cond, CBZ, CBNZ and LDR (literal).
  kBytes21,   // Bytes, in ADR.
  kPage,      // Of ADRP, and of the ADD that follows it: relocations.
  kPageOffset,
  kMoves,  // 32 bits of a number in MOVZ and the MOVK behind it.
  // Of ADRP, LDR and ADD, for a descriptor of a thread-local variable: relocations.
  kDescriptorPage,
  kDescriptorLoad,
  kDescriptorOffset,
};

constexpr uint32_t kNotEncodable = ~uint32_t{0};

// The field of the immediate of ADD, SUB and the like: 12 bits, perhaps shifted by 12.
uint32_t AddImmediate(uint32_t value) {
  if (value < 0x1000) return value << 10;
  if ((value & 0xfff) == 0 && value < 0x1000000) return 1 << 22 | value >> 2;
  return kNotEncodable;
}

uint64_t RotateRight(uint64_t value, unsigned count) {
  return value >> (count & 63) | value << (-count & 63);
}

// The fields N, immr, imms of AND, ORR, EOR. What they encode is an element of 2, 4, ... or 64
// bits, repeated; an element is a run of ones, rotated.
uint32_t LogicalImmediate(uint64_t value, unsigned size) {
  if (size != 8) value = (value & 0xffffffff) * 0x100000001;
  if (value == 0 || ~value == 0) return kNotEncodable;
  // Rotated such that a run of ones begins at bit 0 and zeros end at bit 63, which are together an
  // element, if there is one.
  const uint64_t without_lowest_run = value & (value + 1);
  const unsigned begin = without_lowest_run == 0 ? 0 : __builtin_ctzll(without_lowest_run);
  const uint64_t rotated = RotateRight(value, begin);
  const unsigned ones = __builtin_ctzll(~rotated);
  const unsigned width = ones + __builtin_clzll(rotated);
  if (RotateRight(rotated, width) != rotated) return kNotEncodable;
  const uint32_t immr = -begin & (width - 1);
  const uint32_t imms = (-(2 * width) & 0x3f) | (ones - 1);
  return width >> 6 << 22 | immr << 16 | imms << 10;
}

// The fields of an address in a load or a store.
uint32_t ScaledAddress(Register base, uint32_t units) {
  return 1 << 24 | units << 10 | (base & 31u) << 5;
}
uint32_t UnscaledAddress(Register base, int32_t disp) {
  return (static_cast<uint32_t>(disp) & 0x1ff) << 12 | (base & 31u) << 5;
}
uint32_t IndexedAddress(Register base, Register index, bool is_scaled) {
  return 0x206800 | (index & 31u) << 16 | (is_scaled ? 1 << 12 : 0) | (base & 31u) << 5;
}

// Of an access of 1 << scale bytes; kNotEncodable if a register needs to be added first.
uint32_t NearAddress(Register base, int32_t disp, unsigned scale) {
  const uint32_t units = static_cast<uint32_t>(disp) >> scale;
  if (units < 0x1000 && units << scale == static_cast<uint32_t>(disp)) {
    return ScaledAddress(base, units);
  }
  if (disp >= -256 && disp < 256) return UnscaledAddress(base, disp);
  return kNotEncodable;
}

bool UsesAddressScratch(uint32_t address) {
  const bool is_indexed = (address & 0x1200000) == 0x200000;
  return (address >> 5 & 31) == kAddressScratch ||
         (is_indexed && (address >> 16 & 31) == kAddressScratch);
}

bool FitsSigned(int64_t value, unsigned bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1);
}

// Puts a distance, or a number, into the instruction at `place`; false if it does not fit.
bool Patch(uint8_t form, int64_t value, uint8_t* place) {
  uint32_t words[2];
  const size_t bytes = form == kMoves ? 8 : 4;
  std::memcpy(words, place, bytes);
  switch (form) {
    case kBranch26:
      if (!FitsSigned(value, 28)) return false;
      words[0] |= value >> 2 & 0x3ffffff;
      break;
    case kWords19:
      if (!FitsSigned(value, 21)) return false;
      words[0] |= (value >> 2 & 0x7ffff) << 5;
      break;
    case kBytes21:
      if (!FitsSigned(value, 21)) return false;
      words[0] |= (value & 3) << 29 | (value >> 2 & 0x7ffff) << 5;
      break;
    default:
      if (value < 0 || value > INT32_MAX) return false;
      words[0] |= (value & 0xffff) << 5;
      words[1] |= value >> 16 << 5;
  }
  std::memcpy(place, words, bytes);
  return true;
}

RelocationKind RelocationOf(uint8_t form) {
  switch (form) {
    case kPage:
      return RelocationKind::kPage21;
    case kPageOffset:
      return RelocationKind::kPageOffset12;
    case kDescriptorPage:
      return RelocationKind::kDescriptorPage21;
    case kDescriptorLoad:
      return RelocationKind::kDescriptorLoad12;
    case kDescriptorOffset:
      return RelocationKind::kDescriptorOffset12;
    default:
      return RelocationKind::kCall26;
  }
}

}  // namespace

bool AssemblerAArch64::Resolve(const CodeLayout& layout, CompiledCode& code) const {
  std::vector<uint8_t>& bytes = code.sections[0].bytes;
  for (const Fixup& fixup : fixups_) {
    const uint32_t place = fixup.offset - layout.begin;
    if (fixup.relative_to == RelativeTo::kSymbol || fixup.relative_to == RelativeTo::kDescriptor) {
      code.relocations.push_back(
          {0, place, fixup.target + 1, RelocationOf(fixup.form), fixup.addend});
      continue;
    }
    int64_t target = fixup.addend;
    if (fixup.relative_to == RelativeTo::kIncoming) {
      target += layout.incoming;
    } else if (fixup.relative_to == RelativeTo::kPool) {
      target += int64_t{layout.pool} + fixup.target;
    } else {
      target += int64_t{layout.labels[fixup.target]} - layout.begin;
    }
    if (fixup.form == kPage || fixup.form == kPageOffset) {
      // Symbol 0 is the function, which begins where the section begins.
      code.relocations.push_back({0, place, 0, RelocationOf(fixup.form), target});
      continue;
    }
    const bool is_distance = fixup.relative_to != RelativeTo::kIncoming;
    if (!Patch(fixup.form, is_distance ? target - place : target, bytes.data() + place)) {
      return false;
    }
  }
  return true;
}

uint32_t AssemblerAArch64::Code(Cond cond) {
  enum : uint8_t { kEq, kNe, kHs, kLo, kMi, kPl, kVs, kVc, kHi, kLs, kGe, kLt, kGt, kLe };
  static constexpr uint8_t kCodes[] = {kVs, kVc, kLo, kHs, kEq, kNe, kLs, kHi,
                                       kMi, kPl, kVs, kVc, kLt, kGe, kLe, kGt};
  return kCodes[static_cast<unsigned>(cond)];
}

// An instruction that has to be completed.
void AssemblerAArch64::Refer(RelativeTo kind, uint8_t form, uint32_t target, int32_t addend,
                             uint32_t word) {
  fixups_.push_back({static_cast<uint32_t>(code_.size()), kind, form, target, addend});
  Emit(word);
}

// ---- Integers ----

void AssemblerAArch64::AluRr(Alu alu, unsigned size, Register dst, Register src) {
  // ADDS, ORR, ADCS, SBCS, ANDS, SUBS, EOR, SUBS.
  static constexpr uint32_t kOps[] = {0x2b000000, 0x2a000000, 0x3a000000, 0x7a000000,
                                      0x6a000000, 0x6b000000, 0x4a000000, 0x6b000000};
  const uint32_t op = kOps[static_cast<unsigned>(alu)] | Wide(size);
  const Register result = alu == Alu::kCmp ? kZero : dst;
  if (dst != kStackPointer) return Rrr(op, result, dst, src);
  // The form of an extended register; kCmp alone sets flags.
  Rrr((alu == Alu::kCmp ? op : op & ~0x20000000u) | 0x206000, result, dst, src);
}

void AssemblerAArch64::AluRm(Alu alu, unsigned size, Register dst, const Mem& src) {
  Load(size, kValueScratch, src);
  AluRr(alu, size < 4 ? 8 : size, dst, kValueScratch);
}

// One instruction, or none and false.
bool AssemblerAArch64::AluEncodable(Alu alu, unsigned size, Register dst, int32_t immediate) {
  switch (alu) {
    case Alu::kAdd:
    case Alu::kSub:
    case Alu::kCmp: {
      // The opposite of a negative number sets the same flags, except of 0.
      const bool is_negative = immediate < 0;
      const uint32_t bits = static_cast<uint32_t>(immediate);
      const uint32_t field = AddImmediate(is_negative ? -bits : bits);
      if (field == kNotEncodable) return false;
      const bool subtracts = (alu != Alu::kAdd) != is_negative;
      const bool sets_flags = alu == Alu::kCmp || dst != kStackPointer;
      Rr(0x11000000 | Wide(size) | (subtracts ? 1u << 30 : 0) | (sets_flags ? 1u << 29 : 0) | field,
         alu == Alu::kCmp ? kZero : dst, dst);
      return true;
    }
    case Alu::kAnd:
    case Alu::kOr:
    case Alu::kXor: {
      if (alu == Alu::kXor && immediate == -1) {
        Not(size, dst);
        return true;
      }
      const uint32_t field = LogicalImmediate(static_cast<uint64_t>(int64_t{immediate}), size);
      if (field == kNotEncodable) return false;
      Rr((alu == Alu::kAnd  ? 0x72000000
          : alu == Alu::kOr ? 0x32000000
                            : 0x52000000) |
             Wide(size) | field,
         dst, dst);
      return true;
    }
    default:  // kAdc, kSbb: of registers only.
      if (immediate != 0) return false;
      AluRr(alu, size, dst, kZero);
      return true;
  }
}

void AssemblerAArch64::AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) {
  const uint64_t value = static_cast<uint64_t>(int64_t{immediate});
  if (alu == Alu::kAnd && dst == kStackPointer) {
    Mov(8, kValueScratch, kStackPointer);
    const uint32_t field = LogicalImmediate(value, size);
    if (field != kNotEncodable) {
      return Rr(0x12000000 | Wide(size) | field, kStackPointer, kValueScratch);
    }
    Constant(kAddressScratch, value);
    Rrr(0x0a000000 | Wide(size), kValueScratch, kValueScratch, kAddressScratch);
    return Mov(8, kStackPointer, kValueScratch);
  }
  if (AluEncodable(alu, size, dst, immediate)) return;
  Constant(kValueScratch, size == 8 ? value : value & 0xffffffff);
  AluRr(alu, size, dst, kValueScratch);
}

// Sets the flags of a result in kValueScratch that is in memory by now, where `alu` has not.
void AssemblerAArch64::ResultFlags(Alu alu, unsigned size) {
  if (size < 4) {
    SignExtend(size, 4, kValueScratch, kValueScratch);
    CompareWithZero(4, kValueScratch);
  } else if (alu == Alu::kOr || alu == Alu::kXor) {
    CompareWithZero(size, kValueScratch);
  }
}

void AssemblerAArch64::AluMr(Alu alu, unsigned size, const Mem& dst, Register src) {
  const uint32_t access = 0x38000000 | SizeField(size) | Address(dst, Logarithm(size));
  Emit(access | 1 << 22 | Number(kValueScratch));
  if (alu == Alu::kCmp) {
    if (size < 4) return CompareExtended(4, kValueScratch, src, /*is_signed=*/false, size);
    return AluRr(alu, size, kValueScratch, src);
  }
  AluRr(alu, size, kValueScratch, src);
  Emit(access | Number(kValueScratch));
  ResultFlags(alu, size);
}

void AssemblerAArch64::AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) {
  if (size == 1) {
    immediate = alu == Alu::kCmp ? immediate & 0xff : static_cast<int8_t>(immediate);
  } else if (size == 2) {
    immediate = alu == Alu::kCmp ? immediate & 0xffff : static_cast<int16_t>(immediate);
  }
  const uint32_t address = Address(dst, Logarithm(size));
  const uint32_t access = 0x38000000 | SizeField(size) | address;
  Emit(access | 1 << 22 | Number(kValueScratch));
  if (!AluEncodable(alu, size, kValueScratch, immediate)) {
    // The immediate takes kAddressScratch, whose address has to be kept for the store.
    const bool keeps_address = alu != Alu::kCmp && UsesAddressScratch(address);
    if (keeps_address) ToVector(8, kVectorValueScratch, kAddressScratch);
    const uint64_t value = static_cast<uint64_t>(int64_t{immediate});
    Constant(kAddressScratch, size == 8 ? value : value & 0xffffffff);
    AluRr(alu, size, kValueScratch, kAddressScratch);
    if (keeps_address) FromVector(8, kAddressScratch, kVectorValueScratch);
  }
  if (alu == Alu::kCmp) return;
  Emit(access | Number(kValueScratch));
  ResultFlags(alu, size);
}

void AssemblerAArch64::CompareWithZero(unsigned size, Register reg) {
  if (size < 4) return TestRi(size, reg, -1);
  Rr(0x71000000 | Wide(size), kZero, reg);
}

void AssemblerAArch64::TestRi(unsigned size, Register reg, int32_t bits) {
  uint64_t value = static_cast<uint64_t>(int64_t{bits});
  if (size < 8) value &= (uint64_t{1} << 8 * size) - 1;
  const uint32_t field = LogicalImmediate(value, size == 8 ? 8 : 4);
  if (field != kNotEncodable) return Rr(0x72000000 | Wide(size) | field, kZero, reg);
  Constant(kValueScratch, value);
  Rrr(0x6a000000 | Wide(size), kZero, reg, kValueScratch);
}

void AssemblerAArch64::ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) {
  const unsigned last = 8 * size - 1;
  const unsigned right = count & last, left = -right & last;
  switch (shift) {
    case Shift::kShl:
      return BitField(0x53000000, size, dst, dst, left, last - right);
    case Shift::kShr:
      return BitField(0x53000000, size, dst, dst, right, last);
    case Shift::kSar:
      return BitField(0x13000000, size, dst, dst, right, last);
    case Shift::kRor:
      return Extract(size, dst, dst, dst, right);
    case Shift::kRol:
      return Extract(size, dst, dst, dst, left);
  }
}

void AssemblerAArch64::ShiftRr(Shift shift, unsigned size, Register dst, Register count) {
  switch (shift) {
    case Shift::kShl:
      return Rrr(0x1ac02000 | Wide(size), dst, dst, count);
    case Shift::kShr:
      return Rrr(0x1ac02400 | Wide(size), dst, dst, count);
    case Shift::kSar:
      return Rrr(0x1ac02800 | Wide(size), dst, dst, count);
    case Shift::kRol:  // To the right by the negative count.
      Rrr(0x4b000000, kValueScratch, kZero, count);
      return Rrr(0x1ac02c00 | Wide(size), dst, dst, kValueScratch);
    case Shift::kRor:
      return Rrr(0x1ac02c00 | Wide(size), dst, dst, count);
  }
}

void AssemblerAArch64::MultiplyRm(unsigned size, Register dst, const Mem& src) {
  Load(size, kValueScratch, src);
  Multiply(size, dst, dst, kValueScratch);
}

void AssemblerAArch64::MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) {
  const uint64_t value = static_cast<uint64_t>(int64_t{immediate});
  Constant(kValueScratch, size == 8 ? value : value & 0xffffffff);
  Multiply(size, dst, src, kValueScratch);
}

// ---- Constants and addresses ----

void AssemblerAArch64::MovImmediate(Register dst, uint64_t value, bool /*may_change_flags*/) {
  Constant(dst, value);
}

// MOVZ, or MOVN, with MOVKs for the other pieces of 16 bits; one ORR if there would be more than
// one.
void AssemblerAArch64::Constant(Register dst, uint64_t value) {
  if (value < 0x10000) return Emit(0x52800000 | static_cast<uint32_t>(value) << 5 | Number(dst));
  // A number of 32 bits is made in 32 bits, which clears the upper ones.
  const unsigned size = value >> 32 == 0 ? 4 : 8;
  const unsigned pieces = size / 2;
  unsigned zeros = 0, ones = 0;
  for (unsigned i = 0; i < pieces; ++i) {
    const uint32_t piece = value >> 16 * i & 0xffff;
    zeros += piece == 0;
    ones += piece == 0xffff;
  }
  const bool inverts = ones > zeros;
  const unsigned rest = pieces - (inverts ? ones : zeros);
  if (rest > 1) {
    const uint32_t field = LogicalImmediate(value, size);
    if (field != kNotEncodable) return Rr(0x32000000 | Wide(size) | field, dst, kZero);
  }
  const uint32_t filler = inverts ? 0xffff : 0;
  uint32_t op = inverts ? 0x12800000 : 0x52800000;
  for (unsigned i = 0; i < pieces; ++i) {
    uint32_t piece = value >> 16 * i & 0xffff;
    // One instruction even if nothing differs from the filler.
    const bool is_needed = rest == 0 ? i == 0 : piece != filler;
    if (!is_needed) continue;
    if (op == 0x12800000) piece ^= 0xffff;
    Emit(op | Wide(size) | i << 21 | piece << 5 | Number(dst));
    op = 0x72800000;
  }
}

// `op` is an addition or a subtraction of 8 bytes of an immediate, value < 2^24.
void AssemblerAArch64::AddPieces(uint32_t op, Register dst, Register src, uint32_t value) {
  const uint32_t high = value >> 12, low = value & 0xfff;
  if (high != 0) {
    Rr(op | 1 << 22 | high << 10, dst, src);
    src = dst;
  }
  if (low != 0 || dst != src) Rr(op | low << 10, dst, src);
}

// dst = src + value
void AssemblerAArch64::AddConstant(unsigned size, Register dst, Register src, int32_t value) {
  const uint32_t bits = static_cast<uint32_t>(value);
  if (value == 0) {
    if (dst != src || size == 4) Mov(size, dst, src);
  } else if (value > 0 && value < 0x1000000) {
    AddPieces(0x11000000 | Wide(size), dst, src, bits);
  } else if (value < 0 && value > -0x1000000) {
    AddPieces(0x51000000 | Wide(size), dst, src, -bits);
  } else {
    const Register number = dst == src ? kAddressScratch : dst;
    Constant(number, size == 8 ? static_cast<uint64_t>(int64_t{value}) : bits);
    // Only the form of an extended register takes the stack pointer.
    Rrr((src == kStackPointer ? 0x0b206000 : 0x0b000000) | Wide(size), dst, src, number);
  }
}

// dst = base + mem.index << mem.scale
void AssemblerAArch64::AddIndex(unsigned size, Register dst, const Mem& mem, Register base) {
  if (base == kNoRegister) {
    const unsigned last = 8 * size - 1;
    return BitField(0x53000000, size, dst, mem.index, -mem.scale & last, last - mem.scale);
  }
  const uint32_t op = base == kStackPointer ? 0x0b206000 : 0x0b000000;
  Rrr(op | Wide(size) | mem.scale << 10, dst, base, mem.index);
}

// The address that is relative to nothing, or its lower 4 bytes.
void AssemblerAArch64::Sum(unsigned size, Register dst, const Mem& mem) {
  const uint64_t disp = static_cast<uint64_t>(int64_t{mem.disp});
  if (mem.index == kNoRegister) {
    if (mem.base != kNoRegister) return AddConstant(size, dst, mem.base, mem.disp);
    return Constant(dst, size == 8 ? disp : disp & 0xffffffff);
  }
  AddIndex(size, dst, mem, mem.base);
  if (mem.disp != 0) AddConstant(size, dst, dst, mem.disp);
}

// The address that is relative to something.
void AssemblerAArch64::RelativeAddress(Register dst, const Mem& mem) {
  const uint32_t d = Number(dst);
  if (mem.relative_to == RelativeTo::kIncoming) {
    Refer(mem.relative_to, kMoves, mem.target, mem.disp, 0xd2800000 | d);
    Emit(0xf2a00000 | d);
    Rrr(0x8b000000, dst, kFramePointer, dst);
  } else if (mem.relative_to == RelativeTo::kSymbol || is_large_) {
    Refer(mem.relative_to, kPage, mem.target, mem.disp, 0x90000000 | d);
    Refer(mem.relative_to, kPageOffset, mem.target, mem.disp, 0x91000000 | d << 5 | d);
  } else {
    Refer(mem.relative_to, kBytes21, mem.target, mem.disp, 0x10000000 | d);
  }
}

void AssemblerAArch64::CallDescriptor(uint32_t symbol) {
  constexpr auto kKind = RelativeTo::kDescriptor;
  const uint32_t code = Number(kAddressScratch), address = Number(X(0));
  Refer(kKind, kDescriptorPage, symbol, 0, 0x90000000 | address);
  Refer(kKind, kDescriptorLoad, symbol, 0, 0xf9400000 | address << 5 | code);
  Refer(kKind, kDescriptorOffset, symbol, 0, 0x91000000 | address << 5 | address);
  CallR(kAddressScratch);
}

void AssemblerAArch64::AddThreadPointer(Register dst) {
  Emit(0xd53bd040 | Number(kAddressScratch));  // MRS, of TPIDR_EL0.
  Rrr(0x8b000000, dst, dst, kAddressScratch);
}

void AssemblerAArch64::Lea(Register dst, const Mem& src) {
  if (src.relative_to != RelativeTo::kNothing) return RelativeAddress(dst, src);
  Sum(8, dst, src);
}

void AssemblerAArch64::Lea32(Register dst, const Mem& src) { Sum(4, dst, src); }

// The fields of the address of an access of 1 << scale bytes, and the instructions it needs.
uint32_t AssemblerAArch64::Address(const Mem& mem, unsigned scale) {
  if (mem.relative_to != RelativeTo::kNothing || mem.index != kNoRegister ||
      mem.base == kNoRegister) {
    return ComputedAddress(mem, scale);
  }
  const uint32_t near = NearAddress(mem.base, mem.disp, scale);
  return near != kNotEncodable ? near : FarAddress(mem.base, mem.disp, scale);
}

uint32_t AssemblerAArch64::FarAddress(Register base, int32_t disp, unsigned scale) {
  const int32_t low = disp & 0xfff, high = disp - low;
  if (high > -0x1000000 && high < 0x1000000) {
    const uint32_t address = NearAddress(kAddressScratch, low, scale);
    // The lower 12 bits may remain, if the access can encode them.
    const bool has_low = address != kNotEncodable;
    AddConstant(8, kAddressScratch, base, has_low ? high : disp);
    return has_low ? address : ScaledAddress(kAddressScratch, 0);
  }
  Constant(kAddressScratch, static_cast<uint64_t>(int64_t{disp}));
  return IndexedAddress(base, kAddressScratch, /*is_scaled=*/false);
}

uint32_t AssemblerAArch64::ComputedAddress(const Mem& mem, unsigned scale) {
  if (mem.relative_to != RelativeTo::kNothing) {
    RelativeAddress(kAddressScratch, mem);
    return ScaledAddress(kAddressScratch, 0);
  }
  if (mem.index == kNoRegister) {
    Constant(kAddressScratch, static_cast<uint64_t>(int64_t{mem.disp}));
    return ScaledAddress(kAddressScratch, 0);
  }
  const bool can_scale = mem.scale == 0 || mem.scale == scale;
  if (mem.disp == 0 && can_scale && mem.base != kNoRegister) {
    return IndexedAddress(mem.base, mem.index, mem.scale != 0);
  }
  const uint32_t near = NearAddress(kAddressScratch, mem.disp, scale);
  if (near != kNotEncodable) {
    AddIndex(8, kAddressScratch, mem, mem.base);
    return near;
  }
  // The displacement first, because it may need a register.
  Mem without_index = mem;
  without_index.index = kNoRegister;
  Sum(8, kAddressScratch, without_index);
  if (can_scale) return IndexedAddress(kAddressScratch, mem.index, mem.scale != 0);
  AddIndex(8, kAddressScratch, mem, kAddressScratch);
  return ScaledAddress(kAddressScratch, 0);
}

// ---- Loads and stores ----

// Whether LDR (literal) reaches it: a word in the code or the pool.
bool AssemblerAArch64::IsLiteral(const Mem& mem) const {
  if (mem.relative_to == RelativeTo::kNothing || is_large_) return false;
  const uint32_t disp = static_cast<uint32_t>(mem.disp);
  return (mem.relative_to == RelativeTo::kPool && ((mem.target + disp) & 3) == 0) ||
         (mem.relative_to == RelativeTo::kLabel && (disp & 3) == 0);
}

void AssemblerAArch64::Literal(uint32_t op, Register dst, const Mem& mem) {
  Refer(mem.relative_to, kWords19, mem.target, mem.disp, op | Number(dst));
}

void AssemblerAArch64::Access(uint32_t op, unsigned scale, Register data, const Mem& mem) {
  const uint32_t address = Address(mem, scale);
  Emit(0x38000000 | op | address | Number(data));
}

void AssemblerAArch64::Load(unsigned size, Register dst, const Mem& src) {
  if (size >= 4 && IsLiteral(src)) return Literal(size == 4 ? 0x18000000 : 0x58000000, dst, src);
  Access(SizeField(size) | 1 << 22, Logarithm(size), dst, src);
}

void AssemblerAArch64::LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) {
  if (from == to) return Load(from, dst, src);
  if (from == 4 && IsLiteral(src)) return Literal(0x98000000, dst, src);
  Access(SizeField(from) | (to == 8 ? 2 : 3) << 22, Logarithm(from), dst, src);
}

void AssemblerAArch64::Store(unsigned size, const Mem& dst, Register src) {
  Access(SizeField(size), Logarithm(size), src, dst);
}

void AssemblerAArch64::StoreImmediate(unsigned size, const Mem& dst, int32_t value) {
  uint64_t bits = static_cast<uint64_t>(int64_t{value});
  if (size < 8) bits &= (uint64_t{1} << 8 * size) - 1;
  if (bits == 0) return Store(size, dst, kZero);
  Constant(kValueScratch, bits);
  Store(size, dst, kValueScratch);
}

void AssemblerAArch64::VectorLoad(unsigned size, Register dst, const Mem& src) {
  const uint32_t scale = Logarithm(size);
  if (size >= 4 && IsLiteral(src)) return Literal(0x1c000000 | (scale - 2) << 30, dst, src);
  // 16 bytes have another bit for the size.
  Access(1 << 26 | 1 << 22 | (size == 16 ? 1 << 23 : scale << 30), scale, dst, src);
}

void AssemblerAArch64::VectorStore(unsigned size, const Mem& dst, Register src) {
  const uint32_t scale = Logarithm(size);
  Access(1 << 26 | (size == 16 ? 1 << 23 : scale << 30), scale, src, dst);
}

// ---- Vector registers ----

void AssemblerAArch64::FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) {
  // FADD, FSUB, FMUL, FDIV.
  static constexpr uint32_t kScalar[] = {0x1e202800, 0x1e203800, 0x1e200800, 0x1e201800};
  static constexpr uint32_t kVector[] = {0x4e20d400, 0x4ea0d400, 0x6e20dc00, 0x6e20fc00};
  const unsigned i = static_cast<unsigned>(op);
  Rrr(OfKind(kind, kScalar[i], kVector[i]), dst, dst, src);
}

void AssemblerAArch64::FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) {
  const unsigned size = kind == FloatKind::kFloat ? 4 : kind == FloatKind::kDouble ? 8 : 16;
  VectorLoad(size, kVectorValueScratch, src);
  FloatRr(op, kind, dst, kVectorValueScratch);
}

void AssemblerAArch64::LanesMultiplyAdd(FloatKind kind, Register dst, Register factor,
                                        Register summand) {
  VectorMov(kVectorScratch, summand);
  Rrr(kind == FloatKind::kDoubles ? 0x4e60cc00 : 0x4e20cc00, kVectorScratch, dst, factor);  // FMLA.
  VectorMov(dst, kVectorScratch);
}

void AssemblerAArch64::LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) {
  switch (op) {
    case LaneOp::kAdd:
      return Rrr(0x4e208400 | Lane(lane_size), dst, dst, src);
    case LaneOp::kSub:
      return Rrr(0x6e208400 | Lane(lane_size), dst, dst, src);
    case LaneOp::kAnd:
      return Rrr(0x4e201c00, dst, dst, src);
    case LaneOp::kOr:
      return Rrr(0x4ea01c00, dst, dst, src);
    case LaneOp::kXor:
      return Rrr(0x6e201c00, dst, dst, src);
  }
}

bool AssemblerAArch64::FloatImmediate(bool is_double, Register dst, uint64_t bits) {
  // A sign, a bit of the exponent with its opposite above it and copies of it below it, then six
  // bits, then zeros: VFPExpandImm.
  const unsigned zeros = is_double ? 48 : 19;
  const unsigned copies = is_double ? 8 : 5;
  const uint64_t exponent = bits >> (zeros + 6) & ((uint64_t{2} << copies) - 1);
  const uint64_t top = uint64_t{1} << copies;
  if ((bits & ((uint64_t{1} << zeros) - 1)) != 0) return false;
  if (exponent != top && exponent != top - 1) return false;
  const uint32_t sign = bits >> (is_double ? 63 : 31) & 1;
  const uint32_t imm8 = sign << 7 | (exponent == top ? 0 : 0x40) | (bits >> zeros & 0x3f);
  Emit(0x1e201000 | Double(is_double) | imm8 << 13 | Number(dst));
  return true;
}

void AssemblerAArch64::VectorFloatCompare(FloatTest test, bool is_double, Register dst, Register a,
                                          Register b) {
  const uint32_t op = test == FloatTest::kEqual     ? 0x4e20e400
                      : test == FloatTest::kGreater ? 0x6ea0e400
                                                    : 0x6e20e400;
  Rrr(op | Double(is_double), dst, a, b);
}

// ---- Control flow ----

void AssemblerAArch64::Jmp(uint32_t label) {
  Refer(RelativeTo::kLabel, kBranch26, label, 0, 0x14000000);
}

void AssemblerAArch64::Jcc(Cond cond, uint32_t label) {
  if (!is_large_) return Refer(RelativeTo::kLabel, kWords19, label, 0, 0x54000000 | Code(cond));
  Emit(0x54000000 | 2 << 5 | (Code(cond) ^ 1));  // Past the jump.
  Jmp(label);
}

void AssemblerAArch64::CompareBranchNonZero(unsigned size, Register reg, uint32_t label) {
  const uint32_t word = Wide(size) | Number(reg);
  if (!is_large_) return Refer(RelativeTo::kLabel, kWords19, label, 0, 0x35000000 | word);
  Emit(0x34000000 | 2 << 5 | word);
  Jmp(label);
}

void AssemblerAArch64::CallM(const Mem& mem) {
  Load(8, kAddressScratch, mem);
  CallR(kAddressScratch);
}

void AssemblerAArch64::CallSymbol(uint32_t symbol) {
  Refer(RelativeTo::kSymbol, kBranch26, symbol, 0, 0x94000000);
}

}  // namespace firstcall::baseline::aarch64
