#include "backend/baseline/integers.h"

#include <cstdint>
#include <utility>

#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/register_variables.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vectors.h"
#include "backend/baseline/wide_integers.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool LowerAddAsLea(FunctionCode& code, const ir::Instruction& binary, ir::Operand left,
                   ir::Operand right, unsigned bytes) {
  if (DiesHere(code, left) || left.IsConstant()) return false;
  int32_t immediate = 0;
  Mem sum;
  if (ImmediateOf(code, right, immediate)) {
    sum = Mem::At(In(code, left), immediate);
  } else {
    if (DiesHere(code, right) || DeferredOf(code, right) != nullptr || right.IsConstant()) {
      return false;
    }
    sum = Mem::At(In(code, left));
    sum.index = In(code, right);
  }
  const Register dst = Define(code, binary);
  if (bytes == 4) {
    code.assembler.Lea32(dst, sum);
  } else {
    code.assembler.Lea(dst, sum);
  }
  return true;
}

void LowerArithmetic(FunctionCode& code, const ir::Instruction& binary, Alu alu) {
  const unsigned bytes = OperationBytes(BitsOf(binary.type));
  ir::Operand left = OperandAt(code, binary, 0);
  ir::Operand right = OperandAt(code, binary, 1);
  if (alu != Alu::kSub) {
    const bool right_is_better = left.IsConstant() || DeferredOf(code, left) != nullptr ||
                                 (!right.IsConstant() && DeferredOf(code, right) == nullptr &&
                                  !DiesHere(code, left) && DiesHere(code, right));
    if (right_is_better) std::swap(left, right);
  }
  if (alu == Alu::kAdd && LowerAddAsLea(code, binary, left, right, bytes)) return;
  if (int32_t immediate; alu == Alu::kSub && ImmediateOf(code, right, immediate) &&
                         immediate != INT32_MIN && !DiesHere(code, left) && !left.IsConstant()) {
    const Mem difference = Mem::At(In(code, left), -immediate);
    const Register dst = Define(code, binary);
    return bytes == 4 ? code.assembler.Lea32(dst, difference) : code.assembler.Lea(dst, difference);
  }
  const ArithmeticOperand operand = OperandOf(code, right, bytes);
  const Register dst = DefineFrom(code, binary, left);
  EmitAlu(code, alu, bytes, dst, operand);
}

void LowerMultiply(FunctionCode& code, const ir::Instruction& binary) {
  const unsigned bytes = OperationBytes(BitsOf(binary.type));
  ir::Operand left = OperandAt(code, binary, 0);
  ir::Operand right = OperandAt(code, binary, 1);
  if (left.IsConstant()) std::swap(left, right);
  int32_t immediate = 0;
  if (ImmediateOf(code, right, immediate)) {
    if (immediate > 0 && IsPowerOfTwo(static_cast<uint64_t>(immediate))) {
      const Register dst = DefineFrom(code, binary, left);
      if (immediate != 1) {
        code.assembler.ShiftRi(Shift::kShl, bytes, dst,
                               static_cast<uint8_t>(__builtin_ctz(immediate)));
      }
      return;
    }
    const Register source = In(code, left);
    code.assembler.MultiplyRri(bytes, Define(code, binary), source, immediate);
    return;
  }
  const ArithmeticOperand operand = OperandOf(code, right, bytes);
  const Register dst = DefineFrom(code, binary, left);
  if (operand.kind == ArithmeticOperand::Kind::kMemory) {
    code.assembler.MultiplyRm(bytes, dst, operand.mem);
  } else {
    code.assembler.MultiplyRr(bytes, dst, operand.reg);
  }
}

void LowerShift(FunctionCode& code, const ir::Instruction& binary) {
  const unsigned bits = BitsOf(binary.type);
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed = binary.opcode == Opcode::kAShr;
  const Shift shift = binary.opcode == Opcode::kShl ? Shift::kShl
                      : is_signed                   ? Shift::kSar
                                                    : Shift::kShr;
  const ir::Operand count = OperandAt(code, binary, 1);
  const ir::Constant* constant = IntegerOf(code, count);
  const Register in_count =
      constant == nullptr ? code.native.integers.InShiftCount(code, count, bits) : kNoRegister;
  const Register dst =
      shift == Shift::kShl
          ? DefineFrom(code, binary, OperandAt(code, binary, 0))
          : DefineExtended(code, binary, OperandAt(code, binary, 0), is_signed, bytes);
  if (constant == nullptr) {
    code.assembler.ShiftRr(shift, bytes, dst, in_count);
  } else if (const uint64_t distance = constant->unsigned_bits();
             distance != 0 && distance < bits) {
    code.assembler.ShiftRi(shift, bytes, dst, static_cast<uint8_t>(distance));
  }
}

void LowerDivision(FunctionCode& code, const ir::Instruction& binary) {
  const unsigned bits = BitsOf(binary.type);
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed = binary.opcode == Opcode::kSDiv || binary.opcode == Opcode::kSRem;
  const bool is_remainder = binary.opcode == Opcode::kSRem || binary.opcode == Opcode::kURem;
  if (const ir::Constant* constant = IntegerOf(code, OperandAt(code, binary, 1));
      constant != nullptr && !is_signed && IsPowerOfTwo(constant->unsigned_bits())) {
    const auto log = static_cast<uint8_t>(__builtin_ctzll(constant->unsigned_bits()));
    const Register dst = DefineExtended(code, binary, OperandAt(code, binary, 0), false, bytes);
    if (!is_remainder) {
      if (log != 0) code.assembler.ShiftRi(Shift::kShr, bytes, dst, log);
      return;
    }
    if (log < 31) {
      code.assembler.AluRi(Alu::kAnd, bytes, dst, static_cast<int32_t>((uint32_t{1} << log) - 1));
    } else {
      code.assembler.ShiftRi(Shift::kShl, 8, dst, 64 - log);
      code.assembler.ShiftRi(Shift::kShr, 8, dst, 64 - log);
    }
    return;
  }
  code.native.integers.EmitDivision(code, binary, is_signed, is_remainder);
}

}  // namespace

void LowerBinary(FunctionCode& code, const ir::Instruction& binary) {
  if (binary.type->IsVector()) return LowerVectorBinary(code, binary);
  if (BitsOf(binary.type) > 64) return LowerWideBinary(code, binary);
  switch (binary.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return LowerArithmetic(code, binary, AluOf(binary));
    case Opcode::kMul:
      return LowerMultiply(code, binary);
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return LowerShift(code, binary);
    default:
      return LowerDivision(code, binary);
  }
}

Alu AluOf(const ir::Instruction& binary) {
  switch (binary.opcode) {
    case Opcode::kAdd:
      return Alu::kAdd;
    case Opcode::kSub:
      return Alu::kSub;
    case Opcode::kAnd:
      return Alu::kAnd;
    case Opcode::kOr:
      return Alu::kOr;
    default:
      return Alu::kXor;
  }
}

void LowerExtension(FunctionCode& code, const ir::Instruction& cast, bool is_signed) {
  const unsigned from = BitsOf(TypeAt(code, cast, 0)), to = BitsOf(cast.type);
  const ir::Operand source = OperandAt(code, cast, 0);
  if (const Register variable = VariableReadBy(code, source); variable != kNoRegister) {
    return Extend(code, Define(code, cast), variable, from, is_signed, OperationBytes(to));
  }
  if (const ir::Instruction* deferred = DeferredOf(code, source);
      deferred != nullptr && to <= 64 && deferred->opcode == Opcode::kLoad) {
    const Mem mem = AddressOf(code, OperandAt(code, *deferred, 0));
    Release(code, mem);
    const Register dst = Define(code, cast);
    if (is_signed) {
      code.assembler.LoadSigned(from / 8, OperationBytes(to), dst, mem);
    } else {
      code.assembler.Load(from / 8, dst, mem);
    }
    return;
  }
  if (to <= 64) {
    // The bits above the result's width mean nothing.
    DefineExtended(code, cast, source, is_signed, OperationBytes(to));
    return;
  }
  if (from > 64) {
    const Register upper = InUpper(code, source, is_signed);
    DefineFrom(code, cast, source, 0, 0);
    const Register dst = Define(code, cast, 1);
    code.assembler.Mov(8, dst, upper);
    return;
  }
  const Register extended = InExtended(code, source, is_signed, 8);
  const Register low = Define(code, cast, 0);
  code.assembler.Mov(8, low, extended);
  const Register high = Define(code, cast, 1);
  if (is_signed) {
    code.assembler.Mov(8, high, extended);
    code.assembler.ShiftRi(Shift::kSar, 8, high, 63);
  } else {
    code.assembler.MovImmediate(high, 0, true);
  }
}

void LowerTruncation(FunctionCode& code, const ir::Instruction& cast) {
  const unsigned parts = code.facts.values[NumberOf(code, cast)].parts;
  for (unsigned i = 0; i < parts; ++i) DefineFrom(code, cast, OperandAt(code, cast, 0), i, i);
}

}  // namespace firstcall::baseline
