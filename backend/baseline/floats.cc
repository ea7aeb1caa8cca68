// Floating point, and conversions.

#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {

using llvm::Instruction;

FloatKind Lowering::KindOf(const llvm::Type* type) {
  const bool is_double = type->getScalarType()->isDoubleTy();
  if (type->isVectorTy()) return is_double ? FloatKind::kDoubles : FloatKind::kFloats;
  return is_double ? FloatKind::kDouble : FloatKind::kFloat;
}

bool Lowering::IsFloatInMemory(const llvm::Value* operand, Mem& mem) {
  const llvm::Type* type = operand->getType();
  if (type->isVectorTy()) return false;
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(operand);
      constant != nullptr && !constant->isExactlyValue(0.0)) {
    const ConstantPart part = PartOf(*constant, 0);
    const uint32_t place = pool_.Constant(part.low, 0, type->isDoubleTy() ? 8 : 4);
    mem = Mem::Relative(RelativeTo::kPool, place);
    return true;
  }
  const llvm::Instruction* deferred = DeferredOf(operand);
  if (deferred != nullptr && llvm::isa<llvm::LoadInst>(deferred)) {
    mem = AddressOf(llvm::cast<llvm::LoadInst>(deferred)->getPointerOperand());
    return true;
  }
  if (deferred == nullptr && !llvm::isa<llvm::Constant>(operand) &&
      locations_.IsBestInMemory(NumberOf(operand))) {
    mem = SlotOf(frame_, analysis_.values()[NumberOf(operand)]);
    return true;
  }
  return false;
}

// `op` of `dst` and an operand that may be in memory, if it is scalar.
void Lowering::EmitFloat(FloatOp op, const llvm::Type* type, Register dst,
                         const llvm::Value* operand) {
  if (Mem mem; IsFloatInMemory(operand, mem)) return assembler_.FloatRm(op, KindOf(type), dst, mem);
  assembler_.FloatRr(op, KindOf(type), dst, In(operand));
}

void Lowering::LowerFloatBinary(const llvm::BinaryOperator& binary) {
  const llvm::Type* type = binary.getType();
  FloatOp op = FloatOp::kAdd;
  switch (binary.getOpcode()) {
    case Instruction::FAdd:
      op = FloatOp::kAdd;
      break;
    case Instruction::FMul:
      op = FloatOp::kMul;
      break;
    case Instruction::FSub:
      op = FloatOp::kSub;
      break;
    case Instruction::FDiv:
      op = FloatOp::kDiv;
      break;
    default:
      return CallLibrary(type->isDoubleTy() ? "fmod" : "fmodf", binary,
                         {binary.getOperand(0), binary.getOperand(1)});
  }
  if (type->isVectorTy()) {
    ForEachPart(binary, [&](unsigned i) {
      const Register source = In(binary.getOperand(1), i);
      const Register dst = DefineFrom(binary, binary.getOperand(0), i, i);
      assembler_.FloatRr(op, KindOf(type), dst, source);
    });
    return;
  }
  // A right operand in a register is brought there first, and so is what addresses one in memory
  // only after the left one has its register: neither is the result's.
  const llvm::Value* right = binary.getOperand(1);
  if (DeferredOf(right) == nullptr && !llvm::isa<llvm::Constant>(right) &&
      !locations_.IsBestInMemory(NumberOf(right))) {
    const Register source = In(right);
    assembler_.FloatRr(op, KindOf(type), DefineFrom(binary, binary.getOperand(0)), source);
    return;
  }
  const Register dst = DefineFrom(binary, binary.getOperand(0));
  EmitFloat(op, type, dst, right);
}

void Lowering::LowerFloatCast(const llvm::CastInst& cast) {
  const Register source = In(cast.getOperand(0));
  assembler_.ConvertFloat(cast.getDestTy()->isDoubleTy(), Define(cast), source);
}

void Lowering::LowerIntegerToFloat(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bits = BitsOf(source->getType());
  const bool is_double = cast.getType()->isDoubleTy();
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__floattidf" : "__floattisf"
                       : is_double ? "__floatuntidf"
                                   : "__floatuntisf",
                       cast, {source});
  }
  EmitIntegerToFloat(cast, is_signed);
}

void Lowering::LowerFloatToInteger(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bits = BitsOf(cast.getType());
  const bool is_double = source->getType()->isDoubleTy();
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__fixdfti" : "__fixsfti"
                       : is_double ? "__fixunsdfti"
                                   : "__fixunssfti",
                       cast, {source});
  }
  EmitFloatToInteger(cast, is_signed);
}

void Lowering::LowerBitCast(const llvm::CastInst& cast) {
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
    const Register low = Define(cast, 0);
    return SplitVector(low, Define(cast, 1), number);
  }
  if (from.count == 2) {
    const Register low = In(source, 0), high = In(source, 1);
    return JoinVector(Define(cast), low, high);
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
