#include "backend/baseline/assembler_x86_64.h"

#include <algorithm>
#include <cstring>

#include "backend/baseline/opcodes_x86_64.h"

namespace firstcall::baseline::x86_64 {
namespace {

constexpr size_t kLongestInstruction = 16;

bool IsByte(int64_t value) { return value == static_cast<int8_t>(value); }

// Whether a byte register needs a REX prefix to be spl, bpl, sil, dil instead of ah to bh.
bool NeedsRexAsByte(Register reg) { return reg >= kRsp && reg <= kRdi; }

Op OpOf(FloatOp op, FloatKind kind) {
  static constexpr Op kOps[] = {op::kAddF, op::kSubF, op::kMulF, op::kDivF};
  const Op any = kOps[static_cast<size_t>(op)];
  const bool is_double = kind == FloatKind::kDouble || kind == FloatKind::kDoubles;
  const bool is_scalar = kind == FloatKind::kFloat || kind == FloatKind::kDouble;
  return is_scalar ? op::Scalar(any, is_double) : op::Packed(any, is_double);
}

}  // namespace

uint8_t* AssemblerX86_64::Prefixes(uint8_t* out, Op op, unsigned rex) {
  static constexpr uint8_t kPrefixes[] = {0, 0x66, 0xf3, 0xf2};
  if ((op & kPrefixMask) != 0) *out++ = kPrefixes[(op & kPrefixMask) >> 16];
  if ((op & kW) != 0) rex |= 0x48;
  if (rex != 0) *out++ = static_cast<uint8_t>(rex);
  return out;
}

uint8_t* AssemblerX86_64::Opcode(uint8_t* out, Op op) {
  if ((op & kMapMask) != 0) {
    *out++ = 0x0f;
    if ((op & kMapMask) == k0F38) *out++ = 0x38;
    if ((op & kMapMask) == k0F3A) *out++ = 0x3a;
  }
  *out++ = static_cast<uint8_t>(op);
  return out;
}

void AssemblerX86_64::Rr(Op op, Register reg, Register rm) {
  const unsigned r = reg & 15, b = rm & 15;
  unsigned rex = 0;
  if (r >= 8) rex |= 0x44;
  if (b >= 8) rex |= 0x41;
  if (((op & kByteReg) != 0 && NeedsRexAsByte(reg)) ||
      ((op & kByteRm) != 0 && NeedsRexAsByte(rm))) {
    rex |= 0x40;
  }
  uint8_t* out = Opcode(Prefixes(code_.Room(kLongestInstruction), op, rex), op);
  *out++ = static_cast<uint8_t>(0xc0 | (r & 7) << 3 | (b & 7));
  code_.AdvanceTo(out);
}

void AssemblerX86_64::Vex(uint8_t map, uint8_t opcode, Register reg, Register rm) {
  constexpr uint8_t kVex = 0xc4, kNoThirdRegister66 = 0x79, kReg = 0x80, kRm = 0x20;
  const unsigned r = reg & 15, b = rm & 15;
  if (r >= 8) map &= ~kReg;
  if (b >= 8) map &= ~kRm;
  for (unsigned byte : {unsigned{kVex}, unsigned{map}, unsigned{kNoThirdRegister66},
                        unsigned{opcode}, 0xc0 | (r & 7) << 3 | (b & 7)}) {
    Byte(static_cast<uint8_t>(byte));
  }
}

void AssemblerX86_64::Rm(Op op, Register reg, const Mem& mem, unsigned immediate) {
  const unsigned r = reg & 15;
  unsigned rex = 0;
  if (r >= 8) rex |= 0x44;
  if ((op & kByteReg) != 0 && NeedsRexAsByte(reg)) rex |= 0x40;
  uint8_t* out = code_.Room(kLongestInstruction);
  const uint8_t field = static_cast<uint8_t>((r & 7) << 3);
  if (mem.relative_to != RelativeTo::kNothing) {
    out = Opcode(Prefixes(out, op, rex), op);
    *out++ = field | 5;
    code_.AdvanceTo(out);
    Distance(mem.relative_to, mem.target, immediate, mem.disp);
    return;
  }
  const bool has_index = mem.index != kNoRegister;
  const bool has_base = mem.base != kNoRegister;
  const unsigned b = has_base ? mem.base & 15 : 5;
  if (has_base && b >= 8) rex |= 0x41;
  if (has_index && (mem.index & 8) != 0) rex |= 0x42;
  out = Opcode(Prefixes(out, op, rex), op);
  // No base, or rbp and r13 as base, are encoded with a displacement; rsp and r12 with an index.
  const unsigned mod = !has_base                          ? 0
                       : mem.disp == 0 && (b & 7) != kRbp ? 0
                       : IsByte(mem.disp)                 ? 1
                                                          : 2;
  if (has_index || !has_base || (b & 7) == kRsp) {
    *out++ = static_cast<uint8_t>(mod << 6 | field | 4);
    *out++ = static_cast<uint8_t>(mem.scale << 6 | (has_index ? mem.index & 7 : 4) << 3 | (b & 7));
  } else {
    *out++ = static_cast<uint8_t>(mod << 6 | field | (b & 7));
  }
  // One byte of the displacement is the lowest one.
  std::memcpy(out, &mem.disp, sizeof(mem.disp));
  out += mod == 1 ? 1 : mod == 2 || !has_base ? sizeof(mem.disp) : 0;
  code_.AdvanceTo(out);
}

void AssemblerX86_64::AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) {
  const unsigned extension = static_cast<unsigned>(alu);
  if (size == 1) {
    Group(0x80 | kByteRm, extension, dst);
    Immediate(immediate, 1);
  } else if (IsByte(immediate)) {
    Group(Wide(0x83, size), extension, dst);
    Immediate(immediate, 1);
  } else {
    Group(Wide(0x81, size), extension, dst);
    Immediate(immediate, size == 2 ? 2 : 4);
  }
}

void AssemblerX86_64::AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) {
  const Register extension = static_cast<Register>(alu);
  if (size == 1 || IsByte(immediate)) {
    Rm(size == 1 ? 0x80 : Wide(0x83, size), extension, dst, 1);
    Immediate(immediate, 1);
  } else {
    const unsigned bytes = size == 2 ? 2 : 4;
    Rm(Wide(0x81, size), extension, dst, bytes);
    Immediate(immediate, bytes);
  }
}

void AssemblerX86_64::TestRi(unsigned size, Register a, int32_t immediate) {
  Group(Sized(0xf6, size), 0, a);
  Immediate(immediate, size == 8 ? 4 : size);
}

void AssemblerX86_64::ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) {
  if (count == 1) {
    Group(Sized(0xd0, size), static_cast<unsigned>(shift), dst);
    return;
  }
  Group(Sized(0xc0, size), static_cast<unsigned>(shift), dst);
  Byte(count);
}

void AssemblerX86_64::MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) {
  const bool is_byte = IsByte(immediate);
  Rr(Wide(is_byte ? 0x6b : 0x69, size), dst, src);
  Immediate(immediate, is_byte ? 1 : size == 2 ? 2 : 4);
}

void AssemblerX86_64::SwapBytes(unsigned size, Register reg) {
  const unsigned rex = (size == 8 ? 0x48 : 0) | (reg >= 8 ? 0x41 : 0);
  if (rex != 0) Byte(static_cast<uint8_t>(rex));
  Byte(0x0f);
  Byte(0xc8 | (reg & 7));
}

void AssemblerX86_64::MovImmediate(Register dst, uint64_t value, bool may_change_flags) {
  if (value == 0 && may_change_flags) {
    Rr(0x33, dst, dst);
  } else if (value == static_cast<uint32_t>(value)) {
    if (dst >= 8) Byte(0x41);
    Byte(0xb8 | (dst & 7));
    Immediate(value, 4);
  } else if (static_cast<int64_t>(value) == static_cast<int32_t>(value)) {
    Group(kW | 0xc7, 0, dst);
    Immediate(value, 4);
  } else {
    Byte(dst >= 8 ? 0x49 : 0x48);
    Byte(0xb8 | (dst & 7));
    Immediate(value, 8);
  }
}

void AssemblerX86_64::Load(unsigned size, Register dst, const Mem& src) {
  Rm(size == 1 ? k0F | 0xb6 : size == 2 ? k0F | 0xb7 : size == 4 ? 0x8b : kW | 0x8b, dst, src);
}

void AssemblerX86_64::LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) {
  Rm(Wide(from == 1 ? k0F | 0xbe : from == 2 ? k0F | 0xbf : 0x63, to), dst, src);
}

void AssemblerX86_64::StoreImmediate(unsigned size, const Mem& dst, int32_t value) {
  const unsigned bytes = size == 8 ? 4 : size;
  Rm(Sized(0xc6, size) & ~(kByteReg | kByteRm), kRax, dst, bytes);
  Immediate(value, bytes);
}

void AssemblerX86_64::ZeroExtend(unsigned from, Register dst, Register src) {
  if (from == 4) return Rr(0x8b, dst, src);
  Rr(from == 1 ? k0F | kByteRm | 0xb6 : k0F | 0xb7, dst, src);
}

void AssemblerX86_64::SignExtend(unsigned from, unsigned to, Register dst, Register src) {
  Rr(Wide(from == 1 ? k0F | kByteRm | 0xbe : from == 2 ? k0F | 0xbf : 0x63, to), dst, src);
}

void AssemblerX86_64::Push(Register reg) {
  if (reg >= 8) Byte(0x41);
  Byte(0x50 | (reg & 7));
}

void AssemblerX86_64::PushImmediate(int32_t value) {
  const bool is_small = value == static_cast<int8_t>(value);
  Byte(is_small ? 0x6a : 0x68);
  Immediate(value, is_small ? 1 : 4);
}

// The forms that Intel's and AMD's manuals recommend for 1 to 8 bytes. Those with an operand in
// memory do not access it.
void AssemblerX86_64::Nops(uint32_t bytes) {
  constexpr uint32_t kLongest = 8;
  static constexpr int64_t kForms[kLongest + 1] = {
      0,
      0x90,
      0x9066,
      0x001f0f,
      0x00401f0f,
      0x0000441f0f,
      0x0000441f0f66,
      0x00000000801f0f,
      0x0000000000841f0f,
  };
  for (uint32_t left = bytes; left != 0;) {
    const uint32_t size = std::min(left, kLongest);
    Immediate(kForms[size], size);
    left -= size;
  }
}

bool AssemblerX86_64::Resolve(const CodeLayout& layout, CompiledCode& code) const {
  std::vector<uint8_t>& text = code.sections[0].bytes;
  for (const Fixup& fixup : fixups_) {
    const uint32_t place = fixup.offset - layout.begin;
    int32_t distance = fixup.addend - static_cast<int32_t>(place);
    const bool is_descriptor = fixup.relative_to == RelativeTo::kDescriptor;
    if (is_descriptor || fixup.relative_to == RelativeTo::kSymbol) {
      const RelocationKind kind =
          is_descriptor ? RelocationKind::kDescriptor32 : RelocationKind::kRelative32;
      code.relocations.push_back({0, place, fixup.target + 1, kind, fixup.addend});
      continue;
    }
    distance += fixup.relative_to == RelativeTo::kLabel
                    ? static_cast<int32_t>(layout.labels[fixup.target] - layout.begin)
                    : static_cast<int32_t>(layout.pool + fixup.target);
    std::memcpy(text.data() + place, &distance, 4);
  }
  return true;
}

void AssemblerX86_64::ShiftRr(Shift shift, unsigned size, Register dst, Register count) {
  (void)count;  // It is rcx: Architecture::shift_count.
  ShiftRcl(shift, size, dst);
}

void AssemblerX86_64::VectorZero(Register dst) { Rr(op::kXorps, dst, dst); }

void AssemblerX86_64::FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) {
  Rr(OpOf(op, kind), dst, src);
}

void AssemblerX86_64::FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) {
  Rm(OpOf(op, kind), dst, src);
}

void AssemblerX86_64::ConvertFloat(bool to_double, Register dst, Register src) {
  Rr(op::Scalar(op::kCvtF, !to_double), dst, src);
}

void AssemblerX86_64::IntegerToFloat(unsigned size, bool is_double, Register dst, Register src) {
  VectorZero(dst);  // So that it depends on nothing.
  Rr(Wide(op::Scalar(op::kCvtsi2F, is_double), size), dst, src);
}

void AssemblerX86_64::FloatToInteger(unsigned size, bool is_double, Register dst, Register src) {
  Rr(Wide(op::Scalar(op::kCvttF2si, is_double), size), dst, src);
}

void AssemblerX86_64::LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) {
  const unsigned log = lane_size == 1 ? 0 : lane_size == 2 ? 1 : lane_size == 4 ? 2 : 3;
  switch (op) {
    case LaneOp::kAdd:
      return Rr(op::kPadd[log], dst, src);
    case LaneOp::kSub:
      return Rr(op::kPsub[log], dst, src);
    case LaneOp::kAnd:
      return Rr(op::kPand, dst, src);
    case LaneOp::kOr:
      return Rr(op::kPor, dst, src);
    case LaneOp::kXor:
      return Rr(op::kPxor, dst, src);
  }
}

}  // namespace firstcall::baseline::x86_64
