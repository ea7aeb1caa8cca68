// Integers of 65 to 128 bits, in two parts. Of the upper one the bits above the width mean nothing.

#include "baseline/lowering_x86_64.h"

namespace firstcall::baseline {

using llvm::Instruction;

Register LoweringX86_64::InUpper(const llvm::Value* value, bool is_signed) {
  const unsigned bits = BitsOf(value->getType()) - 64;
  if (bits == 64) return In(value, 1);
  const Register reg = Copy(value, 1);
  Extend(reg, reg, bits, is_signed, 8);
  return reg;
}

void LoweringX86_64::LowerWideBinary(const llvm::BinaryOperator& binary) {
  Alu low, high;
  switch (binary.getOpcode()) {
    case Instruction::Add:
      low = Alu::kAdd, high = Alu::kAdc;
      break;
    case Instruction::Sub:
      low = Alu::kSub, high = Alu::kSbb;
      break;
    case Instruction::And:
      low = high = Alu::kAnd;
      break;
    case Instruction::Or:
      low = high = Alu::kOr;
      break;
    case Instruction::Xor:
      low = high = Alu::kXor;
      break;
    case Instruction::Mul:
      return LowerWideMultiply(binary);
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return LowerWideShift(binary);
    default:
      return LowerWideDivision(binary);
  }
  const llvm::Value* left = binary.getOperand(0);
  const llvm::Value* right = binary.getOperand(1);
  ArithmeticOperand right_low = OperandOf(right, 8, 0);
  ArithmeticOperand right_high;
  if (!ImmediateOf(right, right_high.immediate, 1)) {
    right_high.reg = In(right, 1);
  } else {
    right_high.kind = ArithmeticOperand::Kind::kImmediate;
  }
  const Register dst_low = DefineFrom(binary, left, 0, 0);
  const Register dst_high = DefineFrom(binary, left, 1, 1);
  EmitAlu(low, 8, dst_low, right_low);
  EmitAlu(high, 8, dst_high, right_high);
}

void LoweringX86_64::LowerWideMultiply(const llvm::BinaryOperator& binary) {
  const llvm::Value* left = binary.getOperand(0);
  const llvm::Value* right = binary.getOperand(1);
  locations_.Claim(kRdx);
  Claim(kRax, left, 0);
  // left.low * right.high + left.high * right.low, then the product of the lower parts.
  const Register cross = Copy(right, 1);
  assembler_.ImulRr(8, cross, kRax);
  const Register other = Copy(left, 1);
  const Register right_low = In(right, 0);
  assembler_.ImulRr(8, other, right_low);
  assembler_.AluRr(Alu::kAdd, 8, cross, other);
  assembler_.UnaryR(Unary::kMul, 8, right_low);
  assembler_.AluRr(Alu::kAdd, 8, kRdx, cross);
  DefineIn(binary, kRax, 0);
  DefineIn(binary, kRdx, 1);
}

void LoweringX86_64::LowerWideShiftBy(const llvm::BinaryOperator& binary, unsigned count) {
  const llvm::Value* value = binary.getOperand(0);
  const bool is_left = binary.getOpcode() == Instruction::Shl;
  const bool is_signed = binary.getOpcode() == Instruction::AShr;
  const Register low = Copy(value, 0);
  Register high;
  if (is_left) {
    high = Copy(value, 1);
  } else {
    const unsigned bits = BitsOf(value->getType()) - 64;
    high = Copy(value, 1);
    Extend(high, high, bits, is_signed, 8);
  }
  if (is_left) {
    if (count >= 64) {
      assembler_.Mov(8, high, low);
      if (count > 64) assembler_.ShiftRi(Shift::kShl, 8, high, count - 64);
      assembler_.MovImmediate(low, 0, true);
    } else if (count != 0) {
      assembler_.Shld(8, high, low, count);
      assembler_.ShiftRi(Shift::kShl, 8, low, count);
    }
  } else if (count >= 64) {
    assembler_.Mov(8, low, high);
    const Shift shift = is_signed ? Shift::kSar : Shift::kShr;
    if (count > 64) assembler_.ShiftRi(shift, 8, low, count - 64);
    if (is_signed) {
      assembler_.ShiftRi(Shift::kSar, 8, high, 63);
    } else {
      assembler_.MovImmediate(high, 0, true);
    }
  } else if (count != 0) {
    assembler_.Shrd(8, low, high, count);
    assembler_.ShiftRi(is_signed ? Shift::kSar : Shift::kShr, 8, high, count);
  }
  DefineIn(binary, low, 0);
  DefineIn(binary, high, 1);
}

void LoweringX86_64::LowerWideShift(const llvm::BinaryOperator& binary) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1))) {
    const uint64_t count = constant->getValue().getLimitedValue(127);
    return LowerWideShiftBy(binary, static_cast<unsigned>(count));
  }
  const llvm::Value* value = binary.getOperand(0);
  const bool is_left = binary.getOpcode() == Instruction::Shl;
  const bool is_signed = binary.getOpcode() == Instruction::AShr;
  Claim(kRcx, binary.getOperand(1), 0);
  const Register low = Copy(value, 0);
  const Register high = Copy(value, 1);
  if (!is_left) Extend(high, high, BitsOf(value->getType()) - 64, is_signed, 8);
  // By less than 64; then, if bit 6 of the count is set, by 64 more.
  const uint32_t done = NewLabel();
  if (is_left) {
    assembler_.ShldCl(8, high, low);
    assembler_.ShiftRcl(Shift::kShl, 8, low);
  } else {
    assembler_.ShrdCl(8, low, high);
    assembler_.ShiftRcl(is_signed ? Shift::kSar : Shift::kShr, 8, high);
  }
  assembler_.TestRi(1, kRcx, 64);
  assembler_.Jcc(Cond::kE, done);
  if (is_left) {
    assembler_.Mov(8, high, low);
    assembler_.MovImmediate(low, 0, true);
  } else {
    assembler_.Mov(8, low, high);
    if (is_signed) {
      assembler_.ShiftRi(Shift::kSar, 8, high, 63);
    } else {
      assembler_.MovImmediate(high, 0, true);
    }
  }
  Bind(done);
  DefineIn(binary, low, 0);
  DefineIn(binary, high, 1);
}

void LoweringX86_64::LowerWideDivision(const llvm::BinaryOperator& binary) {
  const char* name = nullptr;
  switch (binary.getOpcode()) {
    case Instruction::UDiv:
      name = "__udivti3";
      break;
    case Instruction::SDiv:
      name = "__divti3";
      break;
    case Instruction::URem:
      name = "__umodti3";
      break;
    default:
      name = "__modti3";
      break;
  }
  CallLibrary(name, binary, {binary.getOperand(0), binary.getOperand(1)});
}

}  // namespace firstcall::baseline
