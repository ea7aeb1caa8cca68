// Integers of up to 64 bits. The bits above an integer's width mean nothing: what depends on them
// extends its operands first.

#include "backend/baseline/lowering.h"
#include "llvm/Support/MathExtras.h"

namespace firstcall::baseline {

using llvm::Instruction;

void Lowering::LowerBinary(const llvm::BinaryOperator& binary) {
  if (binary.getType()->isVectorTy()) return LowerVectorBinary(binary);
  if (BitsOf(binary.getType()) > 64) return LowerWideBinary(binary);
  switch (binary.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return LowerArithmetic(binary, AluOf(binary));
    case Instruction::Mul:
      return LowerMultiply(binary);
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return LowerShift(binary);
    default:
      return LowerDivision(binary);
  }
}

Alu Lowering::AluOf(const llvm::BinaryOperator& binary) {
  switch (binary.getOpcode()) {
    case Instruction::Add:
      return Alu::kAdd;
    case Instruction::Sub:
      return Alu::kSub;
    case Instruction::And:
      return Alu::kAnd;
    case Instruction::Or:
      return Alu::kOr;
    default:
      return Alu::kXor;
  }
}

bool Lowering::LowerAddAsLea(const llvm::BinaryOperator& binary, const llvm::Value* left,
                             const llvm::Value* right, unsigned bytes) {
  if (DiesHere(left) || llvm::isa<llvm::Constant>(left)) return false;
  int32_t immediate = 0;
  Mem sum;
  if (ImmediateOf(right, immediate)) {
    sum = Mem::At(In(left), immediate);
  } else {
    if (DiesHere(right) || DeferredOf(right) != nullptr || llvm::isa<llvm::Constant>(right)) {
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

void Lowering::LowerArithmetic(const llvm::BinaryOperator& binary, Alu alu) {
  const unsigned bytes = OperationBytes(BitsOf(binary.getType()));
  const llvm::Value* left = binary.getOperand(0);
  const llvm::Value* right = binary.getOperand(1);
  if (alu != Alu::kSub) {
    const bool right_is_better =
        llvm::isa<llvm::Constant>(left) || DeferredOf(left) != nullptr ||
        (!llvm::isa<llvm::Constant>(right) && DeferredOf(right) == nullptr && !DiesHere(left) &&
         DiesHere(right));
    if (right_is_better) std::swap(left, right);
  }
  if (alu == Alu::kAdd && LowerAddAsLea(binary, left, right, bytes)) return;
  if (int32_t immediate; alu == Alu::kSub && ImmediateOf(right, immediate) &&
                         immediate != INT32_MIN && !DiesHere(left) &&
                         !llvm::isa<llvm::Constant>(left)) {
    const Mem difference = Mem::At(In(left), -immediate);
    const Register dst = Define(binary);
    return bytes == 4 ? assembler_.Lea32(dst, difference) : assembler_.Lea(dst, difference);
  }
  const ArithmeticOperand operand = OperandOf(right, bytes);
  const Register dst = DefineFrom(binary, left);
  EmitAlu(alu, bytes, dst, operand);
}

void Lowering::LowerMultiply(const llvm::BinaryOperator& binary) {
  const unsigned bytes = OperationBytes(BitsOf(binary.getType()));
  const llvm::Value* left = binary.getOperand(0);
  const llvm::Value* right = binary.getOperand(1);
  if (llvm::isa<llvm::Constant>(left)) std::swap(left, right);
  int32_t immediate = 0;
  if (ImmediateOf(right, immediate)) {
    if (immediate > 0 && llvm::isPowerOf2_32(immediate)) {
      const Register dst = DefineFrom(binary, left);
      if (immediate != 1) {
        assembler_.ShiftRi(Shift::kShl, bytes, dst, llvm::Log2_32(immediate));
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
Register Lowering::InShiftCount(const llvm::Value* count, unsigned bits) {
  return bits < 8 ? InExtended(count, false, 4) : In(count);
}

void Lowering::LowerShift(const llvm::BinaryOperator& binary) {
  const unsigned bits = BitsOf(binary.getType());
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed = binary.getOpcode() == Instruction::AShr;
  const Shift shift = binary.getOpcode() == Instruction::Shl ? Shift::kShl
                      : is_signed                            ? Shift::kSar
                                                             : Shift::kShr;
  const llvm::Value* count = binary.getOperand(1);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(count);
  const Register in_count = constant == nullptr ? InShiftCount(count, bits) : kNoRegister;
  const Register dst = shift == Shift::kShl
                           ? DefineFrom(binary, binary.getOperand(0))
                           : DefineExtended(binary, binary.getOperand(0), is_signed, bytes);
  if (constant == nullptr) {
    assembler_.ShiftRr(shift, bytes, dst, in_count);
  } else if (const uint64_t distance = constant->getZExtValue(); distance != 0 && distance < bits) {
    assembler_.ShiftRi(shift, bytes, dst, static_cast<uint8_t>(distance));
  }
}

void Lowering::LowerDivision(const llvm::BinaryOperator& binary) {
  const unsigned bits = BitsOf(binary.getType());
  const unsigned bytes = OperationBytes(bits);
  const bool is_signed =
      binary.getOpcode() == Instruction::SDiv || binary.getOpcode() == Instruction::SRem;
  const bool is_remainder =
      binary.getOpcode() == Instruction::SRem || binary.getOpcode() == Instruction::URem;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(binary.getOperand(1));
      constant != nullptr && !is_signed && constant->getValue().isPowerOf2()) {
    const unsigned log = constant->getValue().logBase2();
    const Register dst = DefineExtended(binary, binary.getOperand(0), false, bytes);
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

void Lowering::LowerExtension(const llvm::CastInst& cast, bool is_signed) {
  const unsigned from = BitsOf(cast.getSrcTy()), to = BitsOf(cast.getDestTy());
  const llvm::Value* source = cast.getOperand(0);
  if (const llvm::Instruction* deferred = DeferredOf(source);
      deferred != nullptr && to <= 64 && llvm::isa<llvm::LoadInst>(deferred)) {
    const Mem mem = AddressOf(llvm::cast<llvm::LoadInst>(deferred)->getPointerOperand());
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

void Lowering::LowerTruncation(const llvm::CastInst& cast) {
  const unsigned parts = analysis_.values()[NumberOf(&cast)].parts;
  for (unsigned i = 0; i < parts; ++i) DefineFrom(cast, cast.getOperand(0), i, i);
}

}  // namespace firstcall::baseline
