// Integers of 65 to 128 bits, in two parts. Of the upper one the bits above the width mean nothing.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {

using llvm::Instruction;

Register Lowering::InUpper(const llvm::Value* value, bool is_signed) {
  const unsigned bits = BitsOf(value->getType()) - 64;
  if (bits == 64) return In(value, 1);
  const Register reg = Copy(value, 1);
  Extend(reg, reg, bits, is_signed, 8);
  return reg;
}

void Lowering::LowerWideBinary(const llvm::BinaryOperator& binary) {
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

void Lowering::LowerWideShiftBy(const llvm::BinaryOperator& binary, unsigned count) {
  const llvm::Value* value = binary.getOperand(0);
  const bool is_left = binary.getOpcode() == Instruction::Shl;
  const bool is_signed = binary.getOpcode() == Instruction::AShr;
  const Shift shift = is_signed ? Shift::kSar : Shift::kShr;
  const Register low = Copy(value, 0), high = Copy(value, 1);
  if (!is_left) Extend(high, high, BitsOf(value->getType()) - 64, is_signed, 8);
  if (is_left && count >= 64) {
    assembler_.Mov(8, high, low);
    if (count > 64) assembler_.ShiftRi(Shift::kShl, 8, high, static_cast<uint8_t>(count - 64));
    assembler_.MovImmediate(low, 0, true);
  } else if (is_left && count != 0) {
    ShiftIn(is_left, high, low, count);
    assembler_.ShiftRi(Shift::kShl, 8, low, static_cast<uint8_t>(count));
  } else if (count >= 64) {
    assembler_.Mov(8, low, high);
    if (count > 64) assembler_.ShiftRi(shift, 8, low, static_cast<uint8_t>(count - 64));
    if (is_signed) {
      assembler_.ShiftRi(Shift::kSar, 8, high, 63);
    } else {
      assembler_.MovImmediate(high, 0, true);
    }
  } else if (count != 0) {
    ShiftIn(is_left, low, high, count);
    assembler_.ShiftRi(shift, 8, high, static_cast<uint8_t>(count));
  }
  DefineIn(binary, low, 0);
  DefineIn(binary, high, 1);
}

void Lowering::LowerWideShift(const llvm::BinaryOperator& binary) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1))) {
    const uint64_t count = constant->getValue().getLimitedValue(127);
    return LowerWideShiftBy(binary, static_cast<unsigned>(count));
  }
  LowerWideShiftByVariable(binary);
}

void Lowering::LowerWideDivision(const llvm::BinaryOperator& binary) {
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
