// Integers of up to 64 bits. The bits above an integer's width mean nothing: what depends on them
// extends its operands first.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace

void Lowering::LowerBinary(const ir::Instruction& binary) {
  if (binary.type->IsVector()) return LowerVectorBinary(binary);
  if (BitsOf(binary.type) > 64) return LowerWideBinary(binary);
  switch (binary.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return LowerArithmetic(binary, AluOf(binary));
    case Opcode::kMul:
      return LowerMultiply(binary);
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return LowerShift(binary);
    default:
      return LowerDivision(binary);
  }
}

Alu Lowering::AluOf(const ir::Instruction& binary) {
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

bool Lowering::LowerAddAsLea(const ir::Instruction& binary, ir::Operand left, ir::Operand right,
                             unsigned bytes) {
  if (DiesHere(left) || left.IsConstant()) return false;
  int32_t immediate = 0;
  Mem sum;
  if (ImmediateOf(right, immediate)) {
    sum = Mem::At(In(left), immediate);
  } else {
    if (DiesHere(right) || DeferredOf(right) != nullptr || right.IsConstant()) {
      return false;
    }
    sum = Mem::At(In(left));
    sum.index = In(right);
  }
  const Register dst = Define(binary);
  if (bytes == 4) {
    assembler_.Lea32(dst, sum);
  } else {
    assembler_.Lea(dst, sum);
  }
  return true;
}

void Lowering::LowerArithmetic(const ir::Instruction& binary, Alu alu) {
  const unsigned bytes = OperationBytes(BitsOf(binary.type));
  ir::Operand left = OperandAt(binary, 0);
  ir::Operand right = OperandAt(binary, 1);
  if (alu != Alu::kSub) {
    const bool right_is_better =
        left.IsConstant() || DeferredOf(left) != nullptr ||
        (!right.IsConstant() && DeferredOf(right) == nullptr && !DiesHere(left) && DiesHere(right));
    if (right_is_better) std::swap(left, right);
  }
  if (alu == Alu::kAdd && LowerAddAsLea(binary, left, right, bytes)) return;
  if (int32_t immediate; alu == Alu::kSub && ImmediateOf(right, immediate) &&
                         immediate != INT32_MIN && !DiesHere(left) && !left.IsConstant()) {
    const Mem difference = Mem::At(In(left), -immediate);
    const Register dst = Define(binary);
    return bytes == 4 ? assembler_.Lea32(dst, difference) : assembler_.Lea(dst, difference);
  }
  const ArithmeticOperand operand = OperandOf(right, bytes);
  const Register dst = DefineFrom(binary, left);
  EmitAlu(alu, bytes, dst, operand);
}

void Lowering::LowerMultiply(const ir::Instruction& binary) {
  const unsigned bytes = OperationBytes(BitsOf(binary.type));
  ir::Operand left = OperandAt(binary, 0);
  ir::Operand right = OperandAt(binary, 1);
  if (left.IsConstant()) std::swap(left, right);
  int32_t immediate = 0;
  if (ImmediateOf(right, immediate)) {
    if (immediate > 0 && IsPowerOfTwo(static_cast<uint64_t>(immediate))) {
      const Register dst = DefineFrom(binary, left);
      if (immediate != 1) {
        assembler_.ShiftRi(Shift::kShl, bytes, dst, static_cast<uint8_t>(__builtin_ctz(immediate)));
      }
      return;
    }
    const Register source = In(left);
    assembler_.MultiplyRri(bytes, Define(binary), source, immediate);
    return;
  }
  const ArithmeticOperand operand = OperandOf(right, bytes);
  const Register dst = DefineFrom(binary, left);
  if (operand.kind == ArithmeticOperand::Kind::kMemory) {
    assembler_.MultiplyRm(bytes, dst, operand.mem);
  } else {
    assembler_.MultiplyRr(bytes, dst, operand.reg);
  }
}

// What is above the lowest 8 bits of a count does not matter.
Register Lowering::InShiftCount(ir::Operand count, unsigned bits) {
  return bits < 8 ? InExtended(count, false, 4) : In(count);
}

void Lowering::LowerShift(const ir::Instruction& binary) {
  const unsigned bits = BitsOf(binary.type);
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed = binary.opcode == Opcode::kAShr;
  const Shift shift = binary.opcode == Opcode::kShl ? Shift::kShl
                      : is_signed                   ? Shift::kSar
                                                    : Shift::kShr;
  const ir::Operand count = OperandAt(binary, 1);
  const ir::Constant* constant = IntegerOf(count);
  const Register in_count = constant == nullptr ? InShiftCount(count, bits) : kNoRegister;
  const Register dst = shift == Shift::kShl
                           ? DefineFrom(binary, OperandAt(binary, 0))
                           : DefineExtended(binary, OperandAt(binary, 0), is_signed, bytes);
  if (constant == nullptr) {
    assembler_.ShiftRr(shift, bytes, dst, in_count);
  } else if (const uint64_t distance = constant->unsigned_bits();
             distance != 0 && distance < bits) {
    assembler_.ShiftRi(shift, bytes, dst, static_cast<uint8_t>(distance));
  }
}

void Lowering::LowerDivision(const ir::Instruction& binary) {
  const unsigned bits = BitsOf(binary.type);
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed = binary.opcode == Opcode::kSDiv || binary.opcode == Opcode::kSRem;
  const bool is_remainder = binary.opcode == Opcode::kSRem || binary.opcode == Opcode::kURem;
  if (const ir::Constant* constant = IntegerOf(OperandAt(binary, 1));
      constant != nullptr && !is_signed && IsPowerOfTwo(constant->unsigned_bits())) {
    const auto log = static_cast<uint8_t>(__builtin_ctzll(constant->unsigned_bits()));
    const Register dst = DefineExtended(binary, OperandAt(binary, 0), false, bytes);
    if (!is_remainder) {
      if (log != 0) assembler_.ShiftRi(Shift::kShr, bytes, dst, log);
      return;
    }
    if (log < 31) {
      assembler_.AluRi(Alu::kAnd, bytes, dst, static_cast<int32_t>((uint32_t{1} << log) - 1));
    } else {
      assembler_.ShiftRi(Shift::kShl, 8, dst, 64 - log);
      assembler_.ShiftRi(Shift::kShr, 8, dst, 64 - log);
    }
    return;
  }
  EmitDivision(binary, is_signed, is_remainder);
}

void Lowering::LowerExtension(const ir::Instruction& cast, bool is_signed) {
  const unsigned from = BitsOf(TypeAt(cast, 0)), to = BitsOf(cast.type);
  const ir::Operand source = OperandAt(cast, 0);
  if (const ir::Instruction* deferred = DeferredOf(source);
      deferred != nullptr && to <= 64 && deferred->opcode == Opcode::kLoad) {
    const Mem mem = AddressOf(OperandAt(*deferred, 0));
    Release(mem);
    const Register dst = Define(cast);
    if (is_signed) {
      assembler_.LoadSigned(from / 8, OperationBytes(to), dst, mem);
    } else {
      assembler_.Load(from / 8, dst, mem);
    }
    return;
  }
  if (to <= 64) {
    // The bits above the result's width mean nothing.
    DefineExtended(cast, source, is_signed, OperationBytes(to));
    return;
  }
  if (from > 64) {
    const Register upper = InUpper(source, is_signed);
    DefineFrom(cast, source, 0, 0);
    const Register dst = Define(cast, 1);
    assembler_.Mov(8, dst, upper);
    return;
  }
  const Register extended = InExtended(source, is_signed, 8);
  const Register low = Define(cast, 0);
  assembler_.Mov(8, low, extended);
  const Register high = Define(cast, 1);
  if (is_signed) {
    assembler_.Mov(8, high, extended);
    assembler_.ShiftRi(Shift::kSar, 8, high, 63);
  } else {
    assembler_.MovImmediate(high, 0, true);
  }
}

void Lowering::LowerTruncation(const ir::Instruction& cast) {
  const unsigned parts = analysis_.values()[NumberOf(cast)].parts;
  for (unsigned i = 0; i < parts; ++i) DefineFrom(cast, OperandAt(cast, 0), i, i);
}

}  // namespace firstcall::baseline
