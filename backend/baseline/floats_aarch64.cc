// Floating point: what the shared part has no common word for.

#include "backend/baseline/lowering_aarch64.h"

namespace firstcall::baseline::aarch64 {
namespace {

using ir::IntrinsicId;
using ir::Predicate;

bool RoundingOf(ir::IntrinsicId id, Rounding& rounding) {
  switch (id) {
    case IntrinsicId::kRoundeven:
      rounding = Rounding::kToNearestEven;
      return true;
    case IntrinsicId::kCeil:
      rounding = Rounding::kUp;
      return true;
    case IntrinsicId::kFloor:
      rounding = Rounding::kDown;
      return true;
    case IntrinsicId::kTrunc:
      rounding = Rounding::kToZero;
      return true;
    case IntrinsicId::kRound:
      rounding = Rounding::kAway;
      return true;
    case IntrinsicId::kRint:
      rounding = Rounding::kCurrentExact;
      return true;
    case IntrinsicId::kNearbyint:
      rounding = Rounding::kCurrent;
      return true;
    default:
      return false;
  }
}

}  // namespace

// FCMP: less sets N, equal Z and C, greater C, unordered C and V.
FlagTest LoweringAArch64::EmitFloatCompare(const ir::Instruction& compare) {
  using Combination = FlagTest::Combination;
  ir::Operand left = OperandAt(compare, 0);
  const Register a = In(left), b = In(OperandAt(compare, 1));
  native_.FloatCompare(TypeOf(left)->IsDouble(), a, b);
  switch (compare.predicate()) {
    case Predicate::kOeq:
      return One(Cond::kE);
    case Predicate::kOgt:
      return One(Cond::kG);
    case Predicate::kOge:
      return One(Cond::kGe);
    case Predicate::kOlt:
      return One(Cond::kS);
    case Predicate::kOle:
      return One(Cond::kBe);
    case Predicate::kOne:
      return {Cond::kS, Cond::kG, Combination::kEither};
    case Predicate::kOrd:
      return One(Cond::kNo);
    case Predicate::kUno:
      return One(Cond::kO);
    case Predicate::kUeq:
      return {Cond::kE, Cond::kO, Combination::kEither};
    case Predicate::kUgt:
      return One(Cond::kA);
    case Predicate::kUge:
      return One(Cond::kNs);
    case Predicate::kUlt:
      return One(Cond::kL);
    case Predicate::kUle:
      return One(Cond::kLe);
    default:
      return One(Cond::kNe);
  }
}

void LoweringAArch64::LowerNegation(const ir::Instruction& negation) {
  ForEachPart(negation, [&](unsigned i) {
    const Register source = In(OperandAt(negation, 0), i);
    native_.FloatNegate(KindOf(negation.type), Define(negation, i), source);
  });
}

void LoweringAArch64::EmitIntegerToFloat(const ir::Instruction& cast, bool is_signed) {
  ir::Operand source = OperandAt(cast, 0);
  const unsigned bytes = OperationBytes(BitsOf(TypeOf(source)));
  const bool is_double = cast.type->IsDouble();
  const Register integer = InExtended(source, is_signed, bytes);
  if (is_signed) {
    native_.IntegerToFloat(bytes, is_double, Define(cast), integer);
  } else {
    native_.UnsignedToFloat(bytes, is_double, Define(cast), integer);
  }
}

void LoweringAArch64::EmitFloatToInteger(const ir::Instruction& cast, bool is_signed) {
  ir::Operand source = OperandAt(cast, 0);
  const unsigned bytes = OperationBytes(BitsOf(cast.type));
  const bool is_double = TypeOf(source)->IsDouble();
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

bool LoweringAArch64::EmitRounding(const ir::Instruction& intrinsic) {
  Rounding rounding;
  if (!RoundingOf(function_->IntrinsicOf(intrinsic), rounding)) return false;
  const Register source = In(OperandAt(intrinsic, 0));
  native_.FloatRound(rounding, intrinsic.type->IsDouble(), Define(intrinsic), source);
  return true;
}

bool LoweringAArch64::EmitFloatIntrinsic(const ir::Instruction& intrinsic) {
  const ir::Type* type = intrinsic.type;
  if (!type->IsFloat() && !type->IsDouble()) return false;
  const bool is_double = type->IsDouble();
  switch (function_->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kFabs: {
      const Register source = In(OperandAt(intrinsic, 0));
      native_.FloatAbsolute(KindOf(type), Define(intrinsic), source);
      return true;
    }
    case IntrinsicId::kSqrt: {
      const Register source = In(OperandAt(intrinsic, 0));
      native_.FloatSquareRoot(KindOf(type), Define(intrinsic), source);
      return true;
    }
    case IntrinsicId::kCopysign: {
      const Register magnitude = In(OperandAt(intrinsic, 0));
      const Register sign = In(OperandAt(intrinsic, 1));
      ConstantPart mask;
      mask.low = is_double ? uint64_t{1} << 63 : 0x80000000u;
      MaterializeBits(kVectorScratch, mask, is_double ? 8 : 4);
      native_.VectorSelect(kVectorScratch, sign, magnitude);
      native_.VectorMov(Define(intrinsic), kVectorScratch);
      return true;
    }
    // LLVM fuses the one that may be, because that is faster here.
    case IntrinsicId::kFmuladd:
    case IntrinsicId::kFma: {
      const Register a = In(OperandAt(intrinsic, 0)), b = In(OperandAt(intrinsic, 1));
      const Register addend = In(OperandAt(intrinsic, 2));
      locations_.registers().UnpinAll();
      native_.FloatMultiplyAdd(is_double, kVectorScratch, a, b, addend);
      native_.VectorMov(Define(intrinsic), kVectorScratch);
      return true;
    }
    case IntrinsicId::kMinnum:
    case IntrinsicId::kMaxnum: {
      const Register a = In(OperandAt(intrinsic, 0)), b = In(OperandAt(intrinsic, 1));
      if (function_->IntrinsicOf(intrinsic) == IntrinsicId::kMinnum) {
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
