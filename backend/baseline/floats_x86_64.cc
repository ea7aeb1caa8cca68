// Floating point with SSE2: what the shared part has no common word for.

#include "backend/baseline/library_functions.h"
#include "backend/baseline/lowering_x86_64.h"

namespace firstcall::baseline::x86_64 {
namespace {

using Combination = FlagTest::Combination;
using ir::IntrinsicId;
using ir::Predicate;

}  // namespace

Mem LoweringX86_64::FloatMask(const ir::Type* type, bool sign_only) {
  const bool is_double = type->scalar()->IsDouble();
  uint64_t mask = is_double ? uint64_t{1} << 63 : 0x8000000080000000u;
  if (!sign_only) mask = ~mask;
  return Mem::Relative(RelativeTo::kPool, pool_.Constant(mask, mask, 16));
}

void LoweringX86_64::LowerNegation(const ir::Instruction& negation) {
  ForEachPart(negation, [&](unsigned i) {
    const Register dst = DefineFrom(negation, OperandAt(negation, 0), i, i);
    native_.Rm(op::kXorps, dst, FloatMask(negation.type, /*sign_only=*/true));
  });
}

void LoweringX86_64::EmitIntegerToFloat(const ir::Instruction& cast, bool is_signed) {
  ir::Operand source = OperandAt(cast, 0);
  const unsigned bits = BitsOf(TypeOf(source));
  const bool is_double = cast.type->IsDouble();
  const Op convert = op::Scalar(op::kCvtsi2F, is_double);
  const unsigned bytes = bits < 32 || (bits == 32 && is_signed) ? 4 : 8;
  const Register integer = InExtended(source, is_signed, bytes);
  if (is_signed || bits < 64) {
    const Register dst = Define(cast);
    native_.Rr(op::kXorps, dst, dst);  // Depends on nothing.
    native_.Rr(AssemblerX86_64::Wide(convert, bytes), dst, integer);
    return;
  }
  // With the highest bit set: half of it, rounded to odd, doubled.
  const Register half = locations_.Temporary(false);
  const Register dst = Define(cast);
  const uint32_t is_large = NewLabel(), done = NewLabel();
  native_.Rr(op::kXorps, dst, dst);
  native_.CompareWithZero(8, integer);
  native_.Jcc(Cond::kS, is_large);
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, integer);
  native_.Jmp(done);
  Bind(is_large);
  native_.Mov(8, half, integer);
  native_.Mov(8, kScratch, integer);
  native_.ShiftRi(Shift::kShr, 8, half, 1);
  native_.AluRi(Alu::kAnd, 4, kScratch, 1);
  native_.AluRr(Alu::kOr, 8, half, kScratch);
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, half);
  native_.Rr(op::Scalar(op::kAddF, is_double), dst, dst);
  Bind(done);
}

void LoweringX86_64::EmitFloatToInteger(const ir::Instruction& cast, bool is_signed) {
  ir::Operand source = OperandAt(cast, 0);
  const unsigned bits = BitsOf(cast.type);
  const bool is_double = TypeOf(source)->IsDouble();
  const Op convert = op::Scalar(op::kCvttF2si, is_double);
  const Register number = In(source);
  if (is_signed || bits < 64) {
    const bool is_narrow = bits < 32 || (bits == 32 && is_signed);
    native_.Rr(AssemblerX86_64::Wide(convert, is_narrow ? 4 : 8), Define(cast), number);
    return;
  }
  // What does not fit 63 bits converts to the lowest number, which chooses the conversion of the
  // number less 2^63; the sum of both has no carry.
  const Register dst = Define(cast);
  const Register upper = locations_.Temporary(false);
  const uint64_t limit = is_double ? 0x43e0000000000000u : 0x5f000000u;
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, number);
  native_.VectorMov(kVectorScratch, number);
  native_.Rm(op::Scalar(op::kSubF, is_double), kVectorScratch,
             Mem::Relative(RelativeTo::kPool, pool_.Constant(limit, 0, is_double ? 8 : 4)));
  native_.Rr(AssemblerX86_64::Wide(convert, 8), upper, kVectorScratch);
  native_.Mov(8, kScratch, dst);
  native_.ShiftRi(Shift::kSar, 8, kScratch, 63);
  native_.AluRr(Alu::kAnd, 8, upper, kScratch);
  native_.AluRr(Alu::kOr, 8, dst, upper);
}

void LoweringX86_64::SplitVector(Register low, Register high, Register vector) {
  native_.FromVector(8, low, vector);
  native_.VectorMov(kVectorScratch, vector);
  native_.Rr(op::kMovhlps, kVectorScratch, vector);
  native_.FromVector(8, high, kVectorScratch);
}

void LoweringX86_64::JoinVector(Register vector, Register low, Register high) {
  native_.ToVector(8, vector, low);
  native_.ToVector(8, kVectorScratch, high);
  native_.Rr(op::kPunpcklqdq, vector, kVectorScratch);
}

FlagTest LoweringX86_64::EmitFloatCompare(const ir::Instruction& compare) {
  ir::Operand left = OperandAt(compare, 0);
  ir::Operand right = OperandAt(compare, 1);
  Predicate predicate = compare.predicate();
  // UCOMISS and UCOMISD: unordered sets Z, P and C, less sets C, equal sets Z.
  FlagTest test;
  switch (predicate) {
    case Predicate::kOlt:
    case Predicate::kOle:
    case Predicate::kUgt:
    case Predicate::kUge:
      std::swap(left, right);
      predicate = ir::SwappedOfFloats(predicate);
      break;
    default:
      break;
  }
  switch (predicate) {
    case Predicate::kOeq:
      test = {Cond::kE, Cond::kNp, Combination::kBoth};
      break;
    case Predicate::kUne:
      test = {Cond::kNe, Cond::kP, Combination::kEither};
      break;
    case Predicate::kOgt:
      test = One(Cond::kA);
      break;
    case Predicate::kOge:
      test = One(Cond::kAe);
      break;
    case Predicate::kOne:
      test = One(Cond::kNe);
      break;
    case Predicate::kOrd:
      test = One(Cond::kNp);
      break;
    case Predicate::kUno:
      test = One(Cond::kP);
      break;
    case Predicate::kUeq:
      test = One(Cond::kE);
      break;
    case Predicate::kUlt:
      test = One(Cond::kB);
      break;
    default:
      test = One(Cond::kBe);
      break;
  }
  const unsigned bytes = BytesOf(left);
  const Register a = In(left);
  const Op compare_op = op::Packed(op::kUcomiF, bytes == 8);
  if (Mem mem; IsFloatInMemory(right, mem)) {
    native_.Rm(compare_op, a, mem);
  } else {
    native_.Rr(compare_op, a, In(right));
  }
  return test;
}

bool LoweringX86_64::EmitFloatIntrinsic(const ir::Instruction& intrinsic) {
  const ir::Type* type = intrinsic.type;
  const bool is_double = type->IsDouble();
  switch (function_->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kFabs:
      native_.Rm(op::kAndps, DefineFrom(intrinsic, OperandAt(intrinsic, 0)),
                 FloatMask(type, /*sign_only=*/false));
      return true;
    case IntrinsicId::kCopysign: {
      native_.VectorMov(kVectorScratch, In(OperandAt(intrinsic, 1)));
      native_.Rm(op::kAndps, kVectorScratch, FloatMask(type, true));
      const Register dst = DefineFrom(intrinsic, OperandAt(intrinsic, 0));
      native_.Rm(op::kAndps, dst, FloatMask(type, false));
      native_.Rr(op::kOrps, dst, kVectorScratch);
      return true;
    }
    case IntrinsicId::kSqrt: {
      const Register source = In(OperandAt(intrinsic, 0));
      native_.Rr(op::Scalar(op::kSqrtF, is_double), Define(intrinsic), source);
      return true;
    }
    case IntrinsicId::kFmuladd: {
      const Register factor = In(OperandAt(intrinsic, 1));
      const Register summand = In(OperandAt(intrinsic, 2));
      const Register dst = DefineFrom(intrinsic, OperandAt(intrinsic, 0));
      native_.Rr(op::Scalar(op::kMulF, is_double), dst, factor);
      native_.Rr(op::Scalar(op::kAddF, is_double), dst, summand);
      return true;
    }
    default:
      break;
  }
  const int mode = RoundingModeOf(function_->IntrinsicOf(intrinsic));
  if (mode < 0 || !options_.coverage.has_rounding) return false;
  LowerRounding(intrinsic, static_cast<unsigned>(mode));
  return true;
}

void LoweringX86_64::LowerRounding(const ir::Instruction& intrinsic, unsigned mode) {
  const Register source = In(OperandAt(intrinsic, 0));
  native_.RrI(intrinsic.type->IsDouble() ? op::kRoundsd : op::kRoundss, Define(intrinsic), source,
              static_cast<uint8_t>(mode));
}

}  // namespace firstcall::baseline::x86_64
