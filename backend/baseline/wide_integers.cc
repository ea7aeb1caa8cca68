#include "backend/baseline/wide_integers.h"

#include <cstdint>

#include "backend/baseline/calls.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

void LowerWideShiftBy(FunctionCode& code, const ir::Instruction& binary, unsigned count) {
  const ir::Operand value = OperandAt(code, binary, 0);
  const bool is_left = binary.opcode == Opcode::kShl;
  const bool is_signed = binary.opcode == Opcode::kAShr;
  const Shift shift = is_signed ? Shift::kSar : Shift::kShr;
  const Register low = Copy(code, value, 0), high = Copy(code, value, 1);
  if (!is_left) Extend(code, high, high, BitsOf(TypeOf(code, value)) - 64, is_signed, 8);
  if (is_left && count >= 64) {
    code.assembler.Mov(8, high, low);
    if (count > 64) code.assembler.ShiftRi(Shift::kShl, 8, high, static_cast<uint8_t>(count - 64));
    code.assembler.MovImmediate(low, 0, true);
  } else if (is_left && count != 0) {
    code.native.integers.ShiftIn(is_left, high, low, count);
    code.assembler.ShiftRi(Shift::kShl, 8, low, static_cast<uint8_t>(count));
  } else if (count >= 64) {
    code.assembler.Mov(8, low, high);
    if (count > 64) code.assembler.ShiftRi(shift, 8, low, static_cast<uint8_t>(count - 64));
    if (is_signed) {
      code.assembler.ShiftRi(Shift::kSar, 8, high, 63);
    } else {
      code.assembler.MovImmediate(high, 0, true);
    }
  } else if (count != 0) {
    code.native.integers.ShiftIn(is_left, low, high, count);
    code.assembler.ShiftRi(shift, 8, high, static_cast<uint8_t>(count));
  }
  DefineIn(code, binary, low, 0);
  DefineIn(code, binary, high, 1);
}

void LowerWideShift(FunctionCode& code, const ir::Instruction& binary) {
  const ir::Constant* const count = ConstantOf(code, OperandAt(code, binary, 1));
  if (count != nullptr && count->IsInteger()) {
    return LowerWideShiftBy(code, binary, static_cast<unsigned>(count->LimitedTo(127)));
  }
  code.native.integers.LowerWideShiftByVariable(code, binary);
}

void LowerWideDivision(FunctionCode& code, const ir::Instruction& binary) {
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
  CallLibrary(code, name, binary, {OperandAt(code, binary, 0), OperandAt(code, binary, 1)});
}

}  // namespace

Register InUpper(FunctionCode& code, ir::Operand value, bool is_signed) {
  const unsigned bits = BitsOf(TypeOf(code, value)) - 64;
  if (bits == 64) return In(code, value, 1);
  const Register reg = Copy(code, value, 1);
  Extend(code, reg, reg, bits, is_signed, 8);
  return reg;
}

void LowerWideBinary(FunctionCode& code, const ir::Instruction& binary) {
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
      return code.native.integers.LowerWideMultiply(code, binary);
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return LowerWideShift(code, binary);
    default:
      return LowerWideDivision(code, binary);
  }
  const ir::Operand left = OperandAt(code, binary, 0);
  const ir::Operand right = OperandAt(code, binary, 1);
  ArithmeticOperand right_low = OperandOf(code, right, 8, 0);
  ArithmeticOperand right_high;
  if (!ImmediateOf(code, right, right_high.immediate, 1)) {
    right_high.reg = In(code, right, 1);
  } else {
    right_high.kind = ArithmeticOperand::Kind::kImmediate;
  }
  const Register dst_low = DefineFrom(code, binary, left, 0, 0);
  const Register dst_high = DefineFrom(code, binary, left, 1, 1);
  EmitAlu(code, low, 8, dst_low, right_low);
  EmitAlu(code, high, 8, dst_high, right_high);
}

}  // namespace firstcall::baseline
