#include "backend/baseline/floats_aarch64.h"

#include <cstdint>

#include "backend/baseline/floats.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

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
FlagTest FloatsAArch64::EmitFloatCompare(FunctionCode& code, const ir::Instruction& compare) {
  using Combination = FlagTest::Combination;
  ir::Operand left = OperandAt(code, compare, 0);
  const Register a = In(code, left), b = In(code, OperandAt(code, compare, 1));
  native_.FloatCompare(TypeOf(code, left)->IsDouble(), a, b, compare.is_signaling);
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

void FloatsAArch64::LowerNegation(FunctionCode& code, const ir::Instruction& negation) {
  ForEachPart(code, negation, [&](unsigned i) {
    const Register source = In(code, OperandAt(code, negation, 0), i);
    native_.FloatNegate(KindOf(negation.type), Define(code, negation, i), source);
  });
}

void FloatsAArch64::EmitIntegerToFloat(FunctionCode& code, const ir::Instruction& cast,
                                       bool is_signed) {
  ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bytes = OperationBytes(BitsOf(TypeOf(code, source)));
  const bool is_double = cast.type->IsDouble();
  const Register integer = InExtended(code, source, is_signed, bytes);
  if (is_signed) {
    native_.IntegerToFloat(bytes, is_double, Define(code, cast), integer);
  } else {
    native_.UnsignedToFloat(bytes, is_double, Define(code, cast), integer);
  }
}

void FloatsAArch64::EmitFloatToInteger(FunctionCode& code, const ir::Instruction& cast,
                                       bool is_signed) {
  ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bytes = OperationBytes(BitsOf(cast.type));
  const bool is_double = TypeOf(code, source)->IsDouble();
  const Register number = In(code, source);
  if (is_signed) {
    native_.FloatToInteger(bytes, is_double, Define(code, cast), number);
  } else {
    native_.FloatToUnsigned(bytes, is_double, Define(code, cast), number);
  }
}

void FloatsAArch64::LowerHalfCast(FunctionCode& code, const ir::Instruction& cast) {
  const Register number = In(code, OperandAt(code, cast, 0));
  const bool from_double = TypeAt(code, cast, 0)->IsDouble();
  const Register dst = Define(code, cast);
  if (cast.opcode == ir::Opcode::kFPExt) {
    native_.HalfToFloat(dst, number);
  } else {
    native_.FloatToHalf(from_double, dst, number);
  }
}

bool FloatsAArch64::EmitRounding(FunctionCode& code, const ir::Instruction& intrinsic) {
  Rounding rounding;
  if (!RoundingOf(code.function->IntrinsicOf(intrinsic), rounding)) return false;
  const Register source = In(code, OperandAt(code, intrinsic, 0));
  native_.FloatRound(rounding, intrinsic.type->IsDouble(), Define(code, intrinsic), source);
  return true;
}

void FloatsAArch64::EmitRounding(IntrinsicId intrinsic, bool is_double, Register reg) {
  if (intrinsic == IntrinsicId::kSqrt) {
    return native_.FloatSquareRoot(is_double ? FloatKind::kDouble : FloatKind::kFloat, reg, reg);
  }
  Rounding rounding;
  if (RoundingOf(intrinsic, rounding)) native_.FloatRound(rounding, is_double, reg, reg);
}

bool FloatsAArch64::EmitFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) {
  const ir::Type* type = intrinsic.type;
  if (!type->IsFloat() && !type->IsDouble()) return false;
  const bool is_double = type->IsDouble();
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kFabs: {
      const Register source = In(code, OperandAt(code, intrinsic, 0));
      native_.FloatAbsolute(KindOf(type), Define(code, intrinsic), source);
      return true;
    }
    case IntrinsicId::kSqrt: {
      const Register source = In(code, OperandAt(code, intrinsic, 0));
      native_.FloatSquareRoot(KindOf(type), Define(code, intrinsic), source);
      return true;
    }
    case IntrinsicId::kCopysign: {
      const Register magnitude = In(code, OperandAt(code, intrinsic, 0));
      const Register sign = In(code, OperandAt(code, intrinsic, 1));
      ConstantPart mask;
      mask.low = is_double ? uint64_t{1} << 63 : 0x80000000u;
      MaterializeBits(code, kVectorScratch, mask, is_double ? 8 : 4);
      native_.VectorSelect(kVectorScratch, sign, magnitude);
      native_.VectorMov(Define(code, intrinsic), kVectorScratch);
      return true;
    }
    // LLVM fuses the one that may be, because that is faster here.
    case IntrinsicId::kFmuladd:
    case IntrinsicId::kFma: {
      const Register a = In(code, OperandAt(code, intrinsic, 0)),
                     b = In(code, OperandAt(code, intrinsic, 1));
      const Register addend = In(code, OperandAt(code, intrinsic, 2));
      code.locations.registers().UnpinAll();
      native_.FloatMultiplyAdd(is_double, kVectorScratch, a, b, addend);
      native_.VectorMov(Define(code, intrinsic), kVectorScratch);
      return true;
    }
    case IntrinsicId::kMinnum:
    case IntrinsicId::kMaxnum: {
      const Register a = In(code, OperandAt(code, intrinsic, 0)),
                     b = In(code, OperandAt(code, intrinsic, 1));
      if (code.function->IntrinsicOf(intrinsic) == IntrinsicId::kMinnum) {
        native_.FloatMinimumNumber(is_double, Define(code, intrinsic), a, b);
      } else {
        native_.FloatMaximumNumber(is_double, Define(code, intrinsic), a, b);
      }
      return true;
    }
    default:
      return EmitRounding(code, intrinsic);
  }
}

}  // namespace firstcall::baseline::aarch64
