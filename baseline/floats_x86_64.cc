// Scalar and packed floating point with SSE2, and conversions.

#include "baseline/lowering_x86_64.h"

namespace firstcall::baseline {
namespace {

using llvm::Instruction;

// The scalar operation, or the packed one.
Op OfType(Op op, const llvm::Type* type) {
  const bool is_double = type->getScalarType()->isDoubleTy();
  return type->isVectorTy() ? op::Packed(op, is_double) : op::Scalar(op, is_double);
}

}  // namespace

// `op` of `dst` and an operand that may be in memory, if it is scalar.
void LoweringX86_64::EmitFloat(Op op, const llvm::Type* type, Register dst,
                               const llvm::Value* operand) {
  if (!type->isVectorTy()) {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(operand);
        constant != nullptr && !constant->isExactlyValue(0.0)) {
      const unsigned bytes = type->isDoubleTy() ? 8 : 4;
      const ConstantPart part = PartOf(*constant, 0);
      const uint32_t place = pool_.Constant(part.low, 0, bytes);
      return assembler_.Rm(op, dst, Mem::Rip(RipTarget::kPool, place));
    }
    const llvm::Instruction* deferred = DeferredOf(operand);
    if (deferred != nullptr && llvm::isa<llvm::LoadInst>(deferred)) {
      return assembler_.Rm(op, dst,
                           AddressOf(llvm::cast<llvm::LoadInst>(deferred)->getPointerOperand()));
    }
    if (deferred == nullptr && !llvm::isa<llvm::Constant>(operand) &&
        locations_.IsBestInMemory(NumberOf(operand))) {
      return assembler_.Rm(op, dst, locations_.SlotOf(NumberOf(operand)));
    }
  }
  assembler_.Rr(op, dst, In(operand));
}

void LoweringX86_64::LowerFloatBinary(const llvm::BinaryOperator& binary) {
  const llvm::Type* type = binary.getType();
  Op op = 0;
  switch (binary.getOpcode()) {
    case Instruction::FAdd:
      op = op::kAddF;
      break;
    case Instruction::FMul:
      op = op::kMulF;
      break;
    case Instruction::FSub:
      op = op::kSubF;
      break;
    case Instruction::FDiv:
      op = op::kDivF;
      break;
    default:
      return CallLibrary(type->isDoubleTy() ? "fmod" : "fmodf", binary,
                         {binary.getOperand(0), binary.getOperand(1)});
  }
  // A right operand in a register is brought there first, and so is what addresses one in memory
  // only after the left one has its register: neither is the result's.
  const llvm::Value* right = binary.getOperand(1);
  if (DeferredOf(right) == nullptr && !llvm::isa<llvm::Constant>(right) &&
      !locations_.IsBestInMemory(NumberOf(right))) {
    const Register source = In(right);
    assembler_.Rr(OfType(op, type), DefineFrom(binary, binary.getOperand(0)), source);
    return;
  }
  const Register dst = DefineFrom(binary, binary.getOperand(0));
  EmitFloat(OfType(op, type), type, dst, right);
}

Mem LoweringX86_64::FloatMask(const llvm::Type* type, bool sign_only) {
  const bool is_double = type->getScalarType()->isDoubleTy();
  uint64_t mask = is_double ? uint64_t{1} << 63 : 0x8000000080000000u;
  if (!sign_only) mask = ~mask;
  return Mem::Rip(RipTarget::kPool, pool_.Constant(mask, mask, 16));
}

void LoweringX86_64::LowerNegation(const llvm::UnaryOperator& negation) {
  const Register dst = DefineFrom(negation, negation.getOperand(0));
  assembler_.Rm(op::kXorps, dst, FloatMask(negation.getType(), /*sign_only=*/true));
}

void LoweringX86_64::LowerFloatCast(const llvm::CastInst& cast) {
  const Register source = In(cast.getOperand(0));
  assembler_.Rr(OfType(op::kCvtF, cast.getSrcTy()), Define(cast), source);
}

void LoweringX86_64::LowerIntegerToFloat(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bits = BitsOf(source->getType());
  const bool is_double = cast.getType()->isDoubleTy();
  const Op convert = op::Scalar(op::kCvtsi2F, is_double);
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__floattidf" : "__floattisf"
                       : is_double ? "__floatuntidf"
                                   : "__floatuntisf",
                       cast, {source});
  }
  const unsigned bytes = bits < 32 || (bits == 32 && is_signed) ? 4 : 8;
  const Register integer = InExtended(source, is_signed, bytes);
  if (is_signed || bits < 64) {
    const Register dst = Define(cast);
    assembler_.Rr(op::kXorps, dst, dst);  // Depends on nothing.
    assembler_.Rr(AssemblerX86_64::Wide(convert, bytes), dst, integer);
    return;
  }
  // With the highest bit set: half of it, rounded to odd, doubled.
  const Register half = locations_.Temporary(false);
  const Register dst = Define(cast);
  const uint32_t is_large = NewLabel(), done = NewLabel();
  assembler_.Rr(op::kXorps, dst, dst);
  assembler_.TestRr(8, integer, integer);
  assembler_.Jcc(Cond::kS, is_large);
  assembler_.Rr(AssemblerX86_64::Wide(convert, 8), dst, integer);
  assembler_.Jmp(done);
  Bind(is_large);
  assembler_.Mov(8, half, integer);
  assembler_.Mov(8, kScratch, integer);
  assembler_.ShiftRi(Shift::kShr, 8, half, 1);
  assembler_.AluRi(Alu::kAnd, 4, kScratch, 1);
  assembler_.AluRr(Alu::kOr, 8, half, kScratch);
  assembler_.Rr(AssemblerX86_64::Wide(convert, 8), dst, half);
  assembler_.Rr(op::Scalar(op::kAddF, is_double), dst, dst);
  Bind(done);
}

void LoweringX86_64::LowerFloatToInteger(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bits = BitsOf(cast.getType());
  const bool is_double = source->getType()->isDoubleTy();
  const Op convert = op::Scalar(op::kCvttF2si, is_double);
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__fixdfti" : "__fixsfti"
                       : is_double ? "__fixunsdfti"
                                   : "__fixunssfti",
                       cast, {source});
  }
  const Register number = In(source);
  if (is_signed || bits < 64) {
    const bool is_narrow = bits < 32 || (bits == 32 && is_signed);
    assembler_.Rr(AssemblerX86_64::Wide(convert, is_narrow ? 4 : 8), Define(cast), number);
    return;
  }
  // What does not fit 63 bits converts to the lowest number, which chooses the conversion of the
  // number less 2^63; the sum of both has no carry.
  const Register dst = Define(cast);
  const Register upper = locations_.Temporary(false);
  const uint64_t limit = is_double ? 0x43e0000000000000u : 0x5f000000u;
  assembler_.Rr(AssemblerX86_64::Wide(convert, 8), dst, number);
  assembler_.VectorMov(kVectorScratch, number);
  assembler_.Rm(op::Scalar(op::kSubF, is_double), kVectorScratch,
                Mem::Rip(RipTarget::kPool, pool_.Constant(limit, 0, is_double ? 8 : 4)));
  assembler_.Rr(AssemblerX86_64::Wide(convert, 8), upper, kVectorScratch);
  assembler_.Mov(8, kScratch, dst);
  assembler_.ShiftRi(Shift::kSar, 8, kScratch, 63);
  assembler_.AluRr(Alu::kAnd, 8, upper, kScratch);
  assembler_.AluRr(Alu::kOr, 8, dst, upper);
}

void LoweringX86_64::LowerBitCast(const llvm::CastInst& cast) {
  const llvm::Value* source = cast.getOperand(0);
  if (source->getType() != cast.getType()) {
    if (source->getType()->isIntOrIntVectorTy(1) && source->getType()->isVectorTy()) {
      return DefineIn(cast, MaskBits(source));
    }
    if (cast.getType()->isIntOrIntVectorTy(1) && cast.getType()->isVectorTy()) {
      return LowerLanes(cast);
    }
  }
  const PartList from = PartsOf(source->getType()), to = PartsOf(cast.getType());
  if (from.count == to.count && from.parts[0].is_vector == to.parts[0].is_vector) {
    for (unsigned i = 0; i < to.count; ++i) DefineFrom(cast, source, i, i);
    return;
  }
  if (to.count == 2) {
    const Register number = In(source);
    assembler_.FromVector(8, Define(cast, 0), number);
    assembler_.VectorMov(kVectorScratch, number);
    assembler_.Rr(op::kMovhlps, kVectorScratch, number);
    assembler_.FromVector(8, Define(cast, 1), kVectorScratch);
    return;
  }
  if (from.count == 2) {
    const Register low = In(source, 0), high = In(source, 1);
    const Register dst = Define(cast);
    assembler_.ToVector(8, dst, low);
    assembler_.ToVector(8, kVectorScratch, high);
    assembler_.Rr(op::kPunpcklqdq, dst, kVectorScratch);
    return;
  }
  const Register reg = In(source);
  const unsigned bytes = to.parts[0].bytes == 8 ? 8 : 4;
  if (to.parts[0].is_vector) {
    assembler_.ToVector(bytes, Define(cast), reg);
  } else {
    assembler_.FromVector(bytes, Define(cast), reg);
  }
}

}  // namespace firstcall::baseline
