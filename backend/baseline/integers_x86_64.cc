#include "backend/baseline/integers_x86_64.h"

#include <cstdint>

#include "backend/baseline/checked_arithmetic.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline::x86_64 {

using ir::IntrinsicId;
using ir::Opcode;

Register IntegersX86_64::InShiftCount(FunctionCode& code, ir::Operand count, unsigned bits) {
  Claim(code, kRcx, count);
  if (bits < 8) Extend(code, kRcx, kRcx, bits, false, 4);
  return kRcx;
}

void IntegersX86_64::EmitDivision(FunctionCode& code, const ir::Instruction& binary, bool is_signed,
                                  bool is_remainder) {
  const unsigned bits = BitsOf(binary.type);
  const unsigned bytes = OperationBytes(bits);
  code.locations.Claim(kRdx);
  Claim(code, kRax, OperandAt(code, binary, 0));
  Extend(code, kRax, kRax, bits, is_signed, bytes);
  const Register divisor = InExtended(code, OperandAt(code, binary, 1), is_signed, bytes);
  if (is_signed) {
    native_.SignExtendAx(bytes);
    native_.UnaryR(Unary::kIdiv, bytes, divisor);
  } else {
    native_.MovImmediate(kRdx, 0, true);
    native_.UnaryR(Unary::kDiv, bytes, divisor);
  }
  DefineIn(code, binary, is_remainder ? kRdx : kRax);
}

void IntegersX86_64::EmitLaneDivision(FunctionCode& code, const LaneDivision& division) {
  const unsigned bytes = division.left.stride == 8 ? 8 : 4;
  code.locations.Claim(kRdx);
  code.locations.Claim(kRax);
  for (unsigned lane = 0; lane < division.count; ++lane) {
    LoadLane(code, kRax, division.left, lane, division.is_signed);
    LoadLane(code, kScratch, division.right, lane, division.is_signed);
    if (division.is_signed) {
      native_.SignExtendAx(bytes);
      native_.UnaryR(Unary::kIdiv, bytes, kScratch);
    } else {
      native_.MovImmediate(kRdx, 0, true);
      native_.UnaryR(Unary::kDiv, bytes, kScratch);
    }
    StoreLane(code, division.result, lane, division.is_remainder ? kRdx : kRax);
  }
}

void IntegersX86_64::LowerWideMultiply(FunctionCode& code, const ir::Instruction& binary) {
  ir::Operand left = OperandAt(code, binary, 0);
  ir::Operand right = OperandAt(code, binary, 1);
  code.locations.Claim(kRdx);
  Claim(code, kRax, left, 0);
  // left.low * right.high + left.high * right.low, then the product of the lower parts.
  const Register cross = Copy(code, right, 1);
  native_.MultiplyRr(8, cross, kRax);
  const Register other = Copy(code, left, 1);
  const Register right_low = In(code, right, 0);
  native_.MultiplyRr(8, other, right_low);
  native_.AluRr(Alu::kAdd, 8, cross, other);
  native_.UnaryR(Unary::kMul, 8, right_low);
  native_.AluRr(Alu::kAdd, 8, kRdx, cross);
  DefineIn(code, binary, kRax, 0);
  DefineIn(code, binary, kRdx, 1);
}

void IntegersX86_64::ShiftIn(bool is_left, Register dst, Register other, unsigned count) {
  if (is_left) {
    native_.Shld(8, dst, other, static_cast<uint8_t>(count));
  } else {
    native_.Shrd(8, dst, other, static_cast<uint8_t>(count));
  }
}

void IntegersX86_64::LowerWideShiftByVariable(FunctionCode& code, const ir::Instruction& binary) {
  ir::Operand value = OperandAt(code, binary, 0);
  const bool is_left = binary.opcode == Opcode::kShl;
  const bool is_signed = binary.opcode == Opcode::kAShr;
  Claim(code, kRcx, OperandAt(code, binary, 1), 0);
  const Register low = Copy(code, value, 0);
  const Register high = Copy(code, value, 1);
  if (!is_left) Extend(code, high, high, BitsOf(TypeOf(code, value)) - 64, is_signed, 8);
  // By less than 64; then, if bit 6 of the count is set, by 64 more.
  const uint32_t done = code.labels.New();
  if (is_left) {
    native_.ShldCl(8, high, low);
    native_.ShiftRcl(Shift::kShl, 8, low);
  } else {
    native_.ShrdCl(8, low, high);
    native_.ShiftRcl(is_signed ? Shift::kSar : Shift::kShr, 8, high);
  }
  native_.TestRi(1, kRcx, 64);
  native_.Jcc(Cond::kE, done);
  if (is_left) {
    native_.Mov(8, high, low);
    native_.MovImmediate(low, 0, true);
  } else {
    native_.Mov(8, low, high);
    if (is_signed) {
      native_.ShiftRi(Shift::kSar, 8, high, 63);
    } else {
      native_.MovImmediate(high, 0, true);
    }
  }
  code.labels.Bind(done);
  DefineIn(code, binary, low, 0);
  DefineIn(code, binary, high, 1);
}

void IntegersX86_64::LowerOverflow(FunctionCode& code, const ir::Instruction& intrinsic) {
  ir::Operand left = OperandAt(code, intrinsic, 0);
  ir::Operand right = OperandAt(code, intrinsic, 1);
  const unsigned bits = BitsOf(TypeOf(code, left));
  const unsigned bytes = bits / 8;
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const Opcode operation = arithmetic.operation;
  Cond cond = arithmetic.is_signed ? Cond::kO : Cond::kB;
  if (bits == 128) {
    const Register right_low = In(code, right, 0), right_high = In(code, right, 1);
    const Register low = DefineFrom(code, intrinsic, left, 0, 0);
    const Register high = DefineFrom(code, intrinsic, left, 1, 1);
    const bool is_add = operation == Opcode::kAdd;
    native_.AluRr(is_add ? Alu::kAdd : Alu::kSub, 8, low, right_low);
    native_.AluRr(is_add ? Alu::kAdc : Alu::kSbb, 8, high, right_high);
    native_.Set(cond, kScratch);
    code.locations.registers().UnpinAll();
    native_.Mov(4, Define(code, intrinsic, 2), kScratch);
    return;
  }
  if (operation == Opcode::kMul && (!arithmetic.is_signed || bytes == 1)) {
    code.locations.Claim(kRdx);
    Claim(code, kRax, left);
    const Register source = In(code, right);
    native_.UnaryR(arithmetic.is_signed ? Unary::kImul : Unary::kMul, bytes, source);
    native_.Set(Cond::kO, kScratch);
    DefineIn(code, intrinsic, kRax, 0);
  } else if (operation == Opcode::kMul) {
    const Register source = In(code, right);
    const Register dst = DefineFrom(code, intrinsic, left, 0, 0);
    native_.MultiplyRr(bytes, dst, source);
    native_.Set(Cond::kO, kScratch);
  } else {
    const ArithmeticOperand source = OperandOf(code, right, bytes);
    const Register dst = DefineFrom(code, intrinsic, left, 0, 0);
    EmitAlu(code, operation == Opcode::kAdd ? Alu::kAdd : Alu::kSub, bytes, dst, source);
    native_.Set(cond, kScratch);
  }
  code.locations.registers().UnpinAll();
  native_.Mov(4, Define(code, intrinsic, 1), kScratch);
}

void IntegersX86_64::LowerBitCount(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(code, OperandAt(code, intrinsic, 0), false, bytes);
  const Register dst = Define(code, intrinsic);
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kCtpop:
      return native_.Rr(AssemblerX86_64::Wide(op::kPopcnt, bytes), dst, source);
    case IntrinsicId::kCtlz:
      // BSR finds the highest bit, or sets Z; the count of zero is the width.
      native_.MovImmediate(kScratch, ~uint64_t{0}, false);
      native_.Rr(AssemblerX86_64::Wide(op::kBsr, bytes), dst, source);
      native_.Select(Cond::kE, bytes, dst, kScratch);
      native_.Negate(bytes, dst);
      return native_.AluRi(Alu::kAdd, bytes, dst, static_cast<int32_t>(bits) - 1);
    default:
      native_.MovImmediate(kScratch, bits, false);
      native_.Rr(AssemblerX86_64::Wide(op::kBsf, bytes), dst, source);
      return native_.Select(Cond::kE, bytes, dst, kScratch);
  }
}

void IntegersX86_64::LowerFunnelShift(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = bits / 8;
  const bool is_left = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kFshl;
  ir::Operand high = OperandAt(code, intrinsic, 0);
  ir::Operand low = OperandAt(code, intrinsic, 1);
  ir::Operand count = OperandAt(code, intrinsic, 2);
  const ir::Constant* constant = IntegerOf(code, count);
  const uint8_t distance =
      constant == nullptr ? 0 : static_cast<uint8_t>(constant->unsigned_bits() % bits);
  if (constant == nullptr) Claim(code, kRcx, count);
  if (high == low) {
    const Register dst = DefineFrom(code, intrinsic, high);
    const Shift rotate = is_left ? Shift::kRol : Shift::kRor;
    if (constant == nullptr) {
      native_.ShiftRcl(rotate, bytes, dst);
    } else if (distance != 0) {
      native_.ShiftRi(rotate, bytes, dst, distance);
    }
    return;
  }
  if (bytes >= 4) {
    const Register other = In(code, is_left ? low : high);
    const Register dst = DefineFrom(code, intrinsic, is_left ? high : low);
    if (constant == nullptr) {
      is_left ? native_.ShldCl(bytes, dst, other) : native_.ShrdCl(bytes, dst, other);
    } else if (distance != 0) {
      is_left ? native_.Shld(bytes, dst, other, distance)
              : native_.Shrd(bytes, dst, other, distance);
    }
    return;
  }
  // Both in one register of 32 bits.
  const Register extended = InExtended(code, low, false, 4);
  const Register dst = DefineFrom(code, intrinsic, high);
  native_.ShiftRi(Shift::kShl, 4, dst, bits);
  native_.AluRr(Alu::kOr, 4, dst, extended);
  const Shift shift = is_left ? Shift::kShl : Shift::kShr;
  if (constant == nullptr) {
    native_.AluRi(Alu::kAnd, 4, kRcx, static_cast<int32_t>(bits) - 1);
    native_.ShiftRcl(shift, 4, dst);
  } else if (distance != 0) {
    native_.ShiftRi(shift, 4, dst, distance);
  }
  if (is_left) native_.ShiftRi(Shift::kShr, 4, dst, bits);
}

void IntegersX86_64::LowerSaturating(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = bits / 8, operation_bytes = OperationBytes(bits);
  const CheckedArithmetic arithmetic = CheckedArithmeticOf(code.function->IntrinsicOf(intrinsic));
  const bool is_add = arithmetic.operation == Opcode::kAdd;
  const bool is_signed = arithmetic.is_signed;
  const Register right = In(code, OperandAt(code, intrinsic, 1));
  const Register limit = code.locations.Temporary(false);
  const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  if (is_signed) {
    // The highest number, or the lowest if the left operand is negative.
    Extend(code, limit, dst, bits, true, operation_bytes);
    native_.ShiftRi(Shift::kSar, operation_bytes, limit, operation_bytes * 8 - 1);
    native_.MovImmediate(kScratch, (uint64_t{1} << (bits - 1)) - 1, true);
    native_.AluRr(Alu::kXor, operation_bytes, limit, kScratch);
  } else {
    native_.MovImmediate(limit, is_add ? ~uint64_t{0} : 0, true);
  }
  native_.AluRr(is_add ? Alu::kAdd : Alu::kSub, bytes, dst, right);
  native_.Select(is_signed ? Cond::kO : Cond::kB, operation_bytes, dst, limit);
}

}  // namespace firstcall::baseline::x86_64
