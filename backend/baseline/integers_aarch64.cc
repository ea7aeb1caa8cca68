#include "backend/baseline/integers_aarch64.h"

#include <cstdint>

#include "backend/baseline/checked_arithmetic.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline::aarch64 {

using ir::IntrinsicId;
using ir::Opcode;

Register IntegersAArch64::InShiftCount(FunctionCode& code, ir::Operand count, unsigned bits) {
  return bits < 8 ? InExtended(code, count, false, 4) : In(code, count);
}

void IntegersAArch64::EmitDivision(FunctionCode& code, const ir::Instruction& binary,
                                   bool is_signed, bool is_remainder) {
  const unsigned bytes = OperationBytes(BitsOf(binary.type));
  const Register dividend = InExtended(code, OperandAt(code, binary, 0), is_signed, bytes);
  const Register divisor = InExtended(code, OperandAt(code, binary, 1), is_signed, bytes);
  const Register dst = Define(code, binary);
  const Register quotient = is_remainder ? kScratch : dst;
  if (is_signed) {
    native_.SignedDivide(bytes, quotient, dividend, divisor);
  } else {
    native_.UnsignedDivide(bytes, quotient, dividend, divisor);
  }
  if (is_remainder) native_.MultiplySubtract(bytes, dst, quotient, divisor, dividend);
}

void IntegersAArch64::EmitLaneDivision(FunctionCode& code, const LaneDivision& division) {
  const unsigned bytes = division.left.stride == 8 ? 8 : 4;
  const Register value = code.locations.Temporary(false),
                 quotient = code.locations.Temporary(false);
  for (unsigned lane = 0; lane < division.count; ++lane) {
    LoadLane(code, value, division.left, lane, division.is_signed);
    LoadLane(code, kScratch, division.right, lane, division.is_signed);
    if (division.is_signed) {
      native_.SignedDivide(bytes, quotient, value, kScratch);
    } else {
      native_.UnsignedDivide(bytes, quotient, value, kScratch);
    }
    if (division.is_remainder) {
      native_.MultiplySubtract(bytes, quotient, quotient, kScratch, value);
    }
    StoreLane(code, division.result, lane, quotient);
  }
}

// left.low * right.high + left.high * right.low, and the product of the lower parts.
void IntegersAArch64::LowerWideMultiply(FunctionCode& code, const ir::Instruction& binary) {
  ir::Operand left = OperandAt(code, binary, 0);
  ir::Operand right = OperandAt(code, binary, 1);
  const Register left_low = In(code, left, 0), right_high = In(code, right, 1);
  native_.Multiply(8, kScratch, left_low, right_high);
  code.locations.registers().Unpin(right_high);
  const Register right_low = In(code, right, 0), left_high = In(code, left, 1);
  native_.MultiplyAdd(8, kScratch, left_high, right_low, kScratch);
  code.locations.registers().Unpin(left_high);
  const Register high = Define(code, binary, 1);
  native_.UnsignedMultiplyHigh(high, left_low, right_low);
  native_.AluRr(Alu::kAdd, 8, high, kScratch);
  native_.Multiply(8, Define(code, binary, 0), left_low, right_low);
}

void IntegersAArch64::ShiftIn(bool is_left, Register dst, Register other, unsigned count) {
  if (is_left) {
    native_.Extract(8, dst, dst, other, 64 - count);
  } else {
    native_.Extract(8, dst, other, dst, count);
  }
}

// Shifts go by the count modulo 64; what one part gets from the other goes first by 1 and then by
// 63 less the count, which is its complement. If bit 6 is set, by 64 more.
void IntegersAArch64::LowerWideShiftByVariable(FunctionCode& code, const ir::Instruction& binary) {
  ir::Operand value = OperandAt(code, binary, 0);
  const bool is_left = binary.opcode == Opcode::kShl;
  const bool is_signed = binary.opcode == Opcode::kAShr;
  const Register count = In(code, OperandAt(code, binary, 1), 0);
  const Register low = Copy(code, value, 0), high = Copy(code, value, 1);
  if (!is_left) Extend(code, high, high, BitsOf(TypeOf(code, value)) - 64, is_signed, 8);
  const Register from = is_left ? low : high, to = is_left ? high : low;
  const Shift near = is_left ? Shift::kShl : Shift::kShr;
  const Shift back = is_left ? Shift::kShr : Shift::kShl;
  const Shift far = is_left ? Shift::kShl : is_signed ? Shift::kSar : Shift::kShr;
  native_.Mov(8, kScratch, from);
  native_.ShiftRi(back, 8, kScratch, 1);
  native_.Mov(8, kValueScratch, count);
  native_.Not(8, kValueScratch);
  native_.ShiftRr(back, 8, kScratch, kValueScratch);
  native_.ShiftRr(near, 8, to, count);
  native_.AluRr(Alu::kOr, 8, to, kScratch);
  native_.ShiftRr(far, 8, from, count);
  native_.MovImmediate(kScratch, 0, true);
  if (is_signed) {
    native_.Mov(8, kScratch, high);
    native_.ShiftRi(Shift::kSar, 8, kScratch, 63);
  }
  native_.TestRi(4, count, 64);
  native_.Select(Cond::kNe, 8, to, from);
  native_.Select(Cond::kNe, 8, from, kScratch);
  DefineIn(code, binary, low, 0);
  DefineIn(code, binary, high, 1);
}

// In 32 bits, where nothing overflows: whether the result is what its lower bits say.
void IntegersAArch64::LowerNarrowOverflow(FunctionCode& code, const ir::Instruction& intrinsic) {
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const bool is_signed = arithmetic.is_signed;
  const Register left = InExtended(code, OperandAt(code, intrinsic, 0), is_signed, 4);
  const Register right = InExtended(code, OperandAt(code, intrinsic, 1), is_signed, 4);
  const Register dst = Define(code, intrinsic, 0);
  native_.Mov(4, dst, left);
  switch (arithmetic.operation) {
    case Opcode::kAdd:
      native_.AluRr(Alu::kAdd, 4, dst, right);
      break;
    case Opcode::kSub:
      native_.AluRr(Alu::kSub, 4, dst, right);
      break;
    default:
      native_.MultiplyRr(4, dst, right);
      break;
  }
  native_.CompareExtended(4, dst, dst, is_signed, BitsOf(TypeAt(code, intrinsic, 0)) / 8);
  native_.Set(Cond::kNe, kScratch);
}

void IntegersAArch64::LowerOverflow(FunctionCode& code, const ir::Instruction& intrinsic) {
  ir::Operand left = OperandAt(code, intrinsic, 0);
  ir::Operand right = OperandAt(code, intrinsic, 1);
  const unsigned bits = BitsOf(TypeOf(code, left));
  const unsigned bytes = bits == 32 ? 4 : 8;
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const bool is_signed = arithmetic.is_signed;
  const bool is_add = arithmetic.operation == Opcode::kAdd;
  // The carry of an addition is what an unsigned comparison calls "above or equal".
  Cond overflows = is_signed ? Cond::kO : is_add ? Cond::kAe : Cond::kB;
  unsigned parts = 1;
  if (bits < 32) {
    LowerNarrowOverflow(code, intrinsic);
    overflows = Cond::kNe;
  } else if (bits == 128) {
    parts = 2;
    const Register right_low = In(code, right, 0), right_high = In(code, right, 1);
    const Register low = DefineFrom(code, intrinsic, left, 0, 0);
    const Register high = DefineFrom(code, intrinsic, left, 1, 1);
    native_.AluRr(is_add ? Alu::kAdd : Alu::kSub, 8, low, right_low);
    native_.AluRr(is_add ? Alu::kAdc : Alu::kSbb, 8, high, right_high);
  } else if (arithmetic.operation != Opcode::kMul) {
    const ArithmeticOperand operand = OperandOf(code, right, bytes);
    const Register dst = DefineFrom(code, intrinsic, left, 0, 0);
    EmitAlu(code, is_add ? Alu::kAdd : Alu::kSub, bytes, dst, operand);
  } else {
    overflows = Cond::kNe;
    const Register a = In(code, left), b = In(code, right);
    const Register dst = Define(code, intrinsic, 0);
    if (bytes == 4) {
      if (is_signed) {
        native_.SignedMultiplyLong(dst, a, b);
      } else {
        native_.UnsignedMultiplyLong(dst, a, b);
      }
      native_.CompareExtended(8, dst, dst, is_signed, 4);
    } else {
      native_.Multiply(8, dst, a, b);
      if (is_signed) {
        native_.SignedMultiplyHigh(kScratch, a, b);
        native_.CompareShifted(8, kScratch, dst, Shift::kSar, 63);
      } else {
        native_.UnsignedMultiplyHigh(kScratch, a, b);
        native_.CompareWithZero(8, kScratch);
      }
    }
  }
  native_.Set(overflows, kScratch);
  code.locations.registers().UnpinAll();
  native_.Mov(4, Define(code, intrinsic, parts), kScratch);
}

void IntegersAArch64::LowerBitCount(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(code, OperandAt(code, intrinsic, 0), false, bytes);
  const Register dst = Define(code, intrinsic);
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kCtpop:
      native_.ToVector(bytes, kVectorScratch, source);
      native_.CountBits8(kVectorScratch, kVectorScratch);
      native_.AddAcross8(kVectorScratch, kVectorScratch);
      return native_.FromVector(4, dst, kVectorScratch);
    case IntrinsicId::kCtlz:
      native_.CountLeadingZeros(bytes, dst, source);
      if (bits == bytes * 8) return;
      return native_.AluRi(Alu::kSub, 4, dst, static_cast<int32_t>(bytes * 8 - bits));
    default:
      native_.Mov(bytes, dst, source);
      if (bits != bytes * 8) {  // Not beyond the width.
        native_.MovImmediate(kScratch, uint64_t{1} << bits, true);
        native_.AluRr(Alu::kOr, bytes, dst, kScratch);
      }
      native_.ReverseBits(bytes, dst, dst);
      return native_.CountLeadingZeros(bytes, dst, dst);
  }
}

// Both in one register of 32 bits.
void IntegersAArch64::LowerNarrowFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic,
                                             bool is_left) {
  const unsigned bits = BitsOf(intrinsic.type);
  const Register count = InExtended(code, OperandAt(code, intrinsic, 2), false, 4);
  native_.Mov(4, kScratch, count);
  code.locations.registers().Unpin(count);
  native_.AluRi(Alu::kAnd, 4, kScratch, static_cast<int32_t>(bits) - 1);
  const Register low = InExtended(code, OperandAt(code, intrinsic, 1), false, 4);
  const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  native_.ShiftRi(Shift::kShl, 4, dst, static_cast<uint8_t>(bits));
  native_.AluRr(Alu::kOr, 4, dst, low);
  native_.ShiftRr(is_left ? Shift::kShl : Shift::kShr, 4, dst, kScratch);
  if (is_left) native_.ShiftRi(Shift::kShr, 4, dst, static_cast<uint8_t>(bits));
}

void IntegersAArch64::LowerFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const bool is_left = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kFshl;
  if (bits < 32) return LowerNarrowFunnelShift(code, intrinsic, is_left);
  const unsigned bytes = bits / 8;
  ir::Operand high = OperandAt(code, intrinsic, 0);
  ir::Operand low = OperandAt(code, intrinsic, 1);
  if (const ir::Constant* constant = IntegerOf(code, OperandAt(code, intrinsic, 2))) {
    const auto count = static_cast<unsigned>(constant->unsigned_bits() % bits);
    if (count == 0) {
      DefineFrom(code, intrinsic, is_left ? high : low);
      return;
    }
    const Register in_high = In(code, high), in_low = In(code, low);
    return native_.Extract(bytes, Define(code, intrinsic), in_high, in_low,
                           is_left ? bits - count : count);
  }
  // What comes from the other one goes first by 1, and then by the complement of the count.
  ir::Operand stays = is_left ? high : low;
  ir::Operand comes = is_left ? low : high;
  const Register count = In(code, OperandAt(code, intrinsic, 2));
  const Register other = In(code, comes);
  native_.Mov(8, kScratch, other);
  code.locations.registers().Unpin(other);
  const Register dst = DefineFrom(code, intrinsic, stays);
  const Shift near = is_left ? Shift::kShl : Shift::kShr;
  const Shift back = is_left ? Shift::kShr : Shift::kShl;
  native_.ShiftRi(back, bytes, kScratch, 1);
  native_.Mov(8, kValueScratch, count);
  native_.Not(8, kValueScratch);
  native_.ShiftRr(back, bytes, kScratch, kValueScratch);
  native_.ShiftRr(near, bytes, dst, count);
  native_.AluRr(Alu::kOr, bytes, dst, kScratch);
}

// In 32 bits, where nothing overflows: the result, or the limit that it is beyond.
void IntegersAArch64::LowerNarrowSaturating(FunctionCode& code, const ir::Instruction& intrinsic) {
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const bool is_signed = arithmetic.is_signed;
  const unsigned bits = BitsOf(intrinsic.type);
  const Register left = InExtended(code, OperandAt(code, intrinsic, 0), is_signed, 4);
  const Register right = InExtended(code, OperandAt(code, intrinsic, 1), is_signed, 4);
  const Register dst = Define(code, intrinsic);
  native_.Mov(4, dst, left);
  native_.AluRr(arithmetic.operation == Opcode::kAdd ? Alu::kAdd : Alu::kSub, 4, dst, right);
  const uint32_t highest = (uint32_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const uint32_t lowest = is_signed ? ~highest : 0;
  native_.MovImmediate(kScratch, highest, true);
  native_.AluRr(Alu::kCmp, 4, dst, kScratch);
  native_.Select(Cond::kG, 4, dst, kScratch);
  native_.MovImmediate(kScratch, lowest, true);
  native_.AluRr(Alu::kCmp, 4, dst, kScratch);
  native_.Select(Cond::kL, 4, dst, kScratch);
}

void IntegersAArch64::LowerSaturating(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  if (bits < 32) return LowerNarrowSaturating(code, intrinsic);
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const bool is_add = arithmetic.operation == Opcode::kAdd;
  const bool is_signed = arithmetic.is_signed;
  const unsigned bytes = bits / 8;
  const Register right = In(code, OperandAt(code, intrinsic, 1));
  const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  if (is_signed) {
    // The highest number, or the lowest if the left operand is negative.
    native_.Mov(bytes, kScratch, dst);
    native_.ShiftRi(Shift::kSar, bytes, kScratch, static_cast<uint8_t>(bits - 1));
    native_.MovImmediate(kValueScratch, (uint64_t{1} << (bits - 1)) - 1, true);
    native_.AluRr(Alu::kXor, bytes, kScratch, kValueScratch);
  } else {
    native_.MovImmediate(kScratch, is_add ? ~uint64_t{0} : 0, true);
  }
  native_.AluRr(is_add ? Alu::kAdd : Alu::kSub, bytes, dst, right);
  native_.Select(is_signed ? Cond::kO : is_add ? Cond::kAe : Cond::kB, bytes, dst, kScratch);
}

}  // namespace firstcall::baseline::aarch64
