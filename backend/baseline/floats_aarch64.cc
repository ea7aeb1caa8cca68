// Floating point: what the shared part has no common word for.

#include "backend/baseline/lowering_aarch64.h"

namespace firstcall::baseline::aarch64 {
namespace {

using llvm::CmpInst;

bool RoundingOf(llvm::Intrinsic::ID id, Rounding& rounding) {
  switch (id) {
    case llvm::Intrinsic::roundeven:
      rounding = Rounding::kToNearestEven;
      return true;
    case llvm::Intrinsic::ceil:
      rounding = Rounding::kUp;
      return true;
    case llvm::Intrinsic::floor:
      rounding = Rounding::kDown;
      return true;
    case llvm::Intrinsic::trunc:
      rounding = Rounding::kToZero;
      return true;
    case llvm::Intrinsic::round:
      rounding = Rounding::kAway;
      return true;
    case llvm::Intrinsic::rint:
      rounding = Rounding::kCurrentExact;
      return true;
    case llvm::Intrinsic::nearbyint:
      rounding = Rounding::kCurrent;
      return true;
    default:
      return false;
  }
}

}  // namespace

// FCMP: less sets N, equal Z and C, greater C, unordered C and V.
FlagTest LoweringAArch64::EmitFloatCompare(const CmpInst& compare) {
  using Combination = FlagTest::Combination;
  const llvm::Value* left = compare.getOperand(0);
  const Register a = In(left), b = In(compare.getOperand(1));
  native_.FloatCompare(left->getType()->isDoubleTy(), a, b);
  switch (compare.getPredicate()) {
    case CmpInst::FCMP_OEQ:
      return One(Cond::kE);
    case CmpInst::FCMP_OGT:
      return One(Cond::kG);
    case CmpInst::FCMP_OGE:
      return One(Cond::kGe);
    case CmpInst::FCMP_OLT:
      return One(Cond::kS);
    case CmpInst::FCMP_OLE:
      return One(Cond::kBe);
    case CmpInst::FCMP_ONE:
      return {Cond::kS, Cond::kG, Combination::kEither};
    case CmpInst::FCMP_ORD:
      return One(Cond::kNo);
    case CmpInst::FCMP_UNO:
      return One(Cond::kO);
    case CmpInst::FCMP_UEQ:
      return {Cond::kE, Cond::kO, Combination::kEither};
    case CmpInst::FCMP_UGT:
      return One(Cond::kA);
    case CmpInst::FCMP_UGE:
      return One(Cond::kNs);
    case CmpInst::FCMP_ULT:
      return One(Cond::kL);
    case CmpInst::FCMP_ULE:
      return One(Cond::kLe);
    default:
      return One(Cond::kNe);
  }
}

void LoweringAArch64::LowerNegation(const llvm::UnaryOperator& negation) {
  ForEachPart(negation, [&](unsigned i) {
    const Register source = In(negation.getOperand(0), i);
    native_.FloatNegate(KindOf(negation.getType()), Define(negation, i), source);
  });
}

void LoweringAArch64::EmitIntegerToFloat(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bytes = OperationBytes(BitsOf(source->getType()));
  const bool is_double = cast.getType()->isDoubleTy();
  const Register integer = InExtended(source, is_signed, bytes);
  if (is_signed) {
    native_.IntegerToFloat(bytes, is_double, Define(cast), integer);
  } else {
    native_.UnsignedToFloat(bytes, is_double, Define(cast), integer);
  }
}

void LoweringAArch64::EmitFloatToInteger(const llvm::CastInst& cast, bool is_signed) {
  const llvm::Value* source = cast.getOperand(0);
  const unsigned bytes = OperationBytes(BitsOf(cast.getType()));
  const bool is_double = source->getType()->isDoubleTy();
  const Register number = In(source);
  if (is_signed) {
    native_.FloatToInteger(bytes, is_double, Define(cast), number);
  } else {
    native_.FloatToUnsigned(bytes, is_double, Define(cast), number);
  }
}

void LoweringAArch64::SplitVector(Register low, Register high, Register vector) {
  native_.FromVector(8, low, vector);
  native_.FromLane(8, 1, high, vector);
}

void LoweringAArch64::JoinVector(Register vector, Register low, Register high) {
  native_.ToVector(8, vector, low);
  native_.ToLane(8, 1, vector, high);
}

bool LoweringAArch64::EmitRounding(const llvm::IntrinsicInst& intrinsic) {
  Rounding rounding;
  if (!RoundingOf(intrinsic.getIntrinsicID(), rounding)) return false;
  const Register source = In(intrinsic.getArgOperand(0));
  native_.FloatRound(rounding, intrinsic.getType()->isDoubleTy(), Define(intrinsic), source);
  return true;
}

bool LoweringAArch64::EmitFloatIntrinsic(const llvm::IntrinsicInst& intrinsic) {
  const llvm::Type* type = intrinsic.getType();
  if (!type->isFloatTy() && !type->isDoubleTy()) return false;
  const bool is_double = type->isDoubleTy();
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::fabs: {
      const Register source = In(intrinsic.getArgOperand(0));
      native_.FloatAbsolute(KindOf(type), Define(intrinsic), source);
      return true;
    }
    case llvm::Intrinsic::sqrt: {
      const Register source = In(intrinsic.getArgOperand(0));
      native_.FloatSquareRoot(KindOf(type), Define(intrinsic), source);
      return true;
    }
    case llvm::Intrinsic::copysign: {
      const Register magnitude = In(intrinsic.getArgOperand(0));
      const Register sign = In(intrinsic.getArgOperand(1));
      ConstantPart mask;
      mask.low = is_double ? uint64_t{1} << 63 : 0x80000000u;
      MaterializeBits(kVectorScratch, mask, is_double ? 8 : 4);
      native_.VectorSelect(kVectorScratch, sign, magnitude);
      native_.VectorMov(Define(intrinsic), kVectorScratch);
      return true;
    }
    // LLVM fuses the one that may be, because that is faster here.
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fma: {
      const Register a = In(intrinsic.getArgOperand(0)), b = In(intrinsic.getArgOperand(1));
      const Register addend = In(intrinsic.getArgOperand(2));
      locations_.registers().UnpinAll();
      native_.FloatMultiplyAdd(is_double, kVectorScratch, a, b, addend);
      native_.VectorMov(Define(intrinsic), kVectorScratch);
      return true;
    }
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum: {
      const Register a = In(intrinsic.getArgOperand(0)), b = In(intrinsic.getArgOperand(1));
      if (intrinsic.getIntrinsicID() == llvm::Intrinsic::minnum) {
        native_.FloatMinimumNumber(is_double, Define(intrinsic), a, b);
      } else {
        native_.FloatMaximumNumber(is_double, Define(intrinsic), a, b);
      }
      return true;
    }
    default:
      return EmitRounding(intrinsic);
  }
}

}  // namespace firstcall::baseline::aarch64
