// Integers of 65 to 128 bits, in two parts. Of the upper one the bits above the width mean nothing.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {

using ir::Opcode;

Register Lowering::InUpper(ir::Operand value, bool is_signed) {
  const unsigned bits = BitsOf(TypeOf(value)) - 64;
  if (bits == 64) return In(value, 1);
  const Register reg = Copy(value, 1);
  Extend(reg, reg, bits, is_signed, 8);
  return reg;
}

void Lowering::LowerWideBinary(const ir::Instruction& binary) {
  Alu low, high;
  switch (binary.opcode) {
    case Opcode::kAdd:
      low = Alu::kAdd, high = Alu::kAdc;
      break;
    case Opcode::kSub:
      low = Alu::kSub, high = Alu::kSbb;
      break;
    case Opcode::kAnd:
      low = high = Alu::kAnd;
      break;
    case Opcode::kOr:
      low = high = Alu::kOr;
      break;
    case Opcode::kXor:
      low = high = Alu::kXor;
      break;
    case Opcode::kMul:
      return LowerWideMultiply(binary);
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return LowerWideShift(binary);
    default:
      return LowerWideDivision(binary);
  }
  const ir::Operand left = OperandAt(binary, 0);
  const ir::Operand right = OperandAt(binary, 1);
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

void Lowering::LowerWideShiftBy(const ir::Instruction& binary, unsigned count) {
  const ir::Operand value = OperandAt(binary, 0);
  const bool is_left = binary.opcode == Opcode::kShl;
  const bool is_signed = binary.opcode == Opcode::kAShr;
  const Shift shift = is_signed ? Shift::kSar : Shift::kShr;
  const Register low = Copy(value, 0), high = Copy(value, 1);
  if (!is_left) Extend(high, high, BitsOf(TypeOf(value)) - 64, is_signed, 8);
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

void Lowering::LowerWideShift(const ir::Instruction& binary) {
  const ir::Constant* const count = ConstantOf(OperandAt(binary, 1));
  if (count != nullptr && count->IsInteger()) {
    return LowerWideShiftBy(binary, static_cast<unsigned>(count->LimitedTo(127)));
  }
  LowerWideShiftByVariable(binary);
}

void Lowering::LowerWideDivision(const ir::Instruction& binary) {
  const char* name = nullptr;
  switch (binary.opcode) {
    case Opcode::kUDiv:
      name = "__udivti3";
      break;
    case Opcode::kSDiv:
      name = "__divti3";
      break;
    case Opcode::kURem:
      name = "__umodti3";
      break;
    default:
      name = "__modti3";
      break;
  }
  CallLibrary(name, binary, {OperandAt(binary, 0), OperandAt(binary, 1)});
}

}  // namespace firstcall::baseline
