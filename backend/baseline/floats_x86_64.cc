#include "backend/baseline/floats_x86_64.h"

#include <cstdint>
#include <utility>

#include "backend/baseline/calls.h"
#include "backend/baseline/floats.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/x87_x86_64.h"

namespace firstcall::baseline::x86_64 {
namespace {

using ir::IntrinsicId;
using ir::Predicate;
using Combination = FlagTest::Combination;

// A constant in the pool with a mask in each lane: the sign bit if `sign_only`, otherwise the other
// bits.
Mem FloatMask(FunctionCode& code, const ir::Type* type, bool sign_only) {
  const bool is_double = type->scalar()->IsDouble();
  uint64_t mask = is_double ? uint64_t{1} << 63 : 0x8000000080000000u;
  if (!sign_only) mask = ~mask;
  return Mem::Relative(RelativeTo::kPool, code.pool.Constant(mask, mask, 16));
}

}  // namespace

void FloatsX86_64::LowerNegation(FunctionCode& code, const ir::Instruction& negation) {
  ForEachPart(code, negation, [&](unsigned i) {
    const Register dst = DefineFrom(code, negation, OperandAt(code, negation, 0), i, i);
    native_.Rm(op::kXorps, dst, FloatMask(code, negation.type, /*sign_only=*/true));
  });
}

void FloatsX86_64::EmitIntegerToFloat(FunctionCode& code, const ir::Instruction& cast,
                                      bool is_signed) {
  ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bits = BitsOf(TypeOf(code, source));
  const bool is_double = cast.type->IsDouble();
  const Op convert = op::Scalar(op::kCvtsi2F, is_double);
  const unsigned bytes = bits < 32 || (bits == 32 && is_signed) ? 4 : 8;
  const Register integer = InExtended(code, source, is_signed, bytes);
  if (is_signed || bits < 64) {
    const Register dst = Define(code, cast);
    native_.Rr(op::kXorps, dst, dst);  // Depends on nothing.
    native_.Rr(AssemblerX86_64::Wide(convert, bytes), dst, integer);
    return;
  }
  // With the highest bit set: half of it, rounded to odd, doubled.
  const Register half = code.locations.Temporary(false);
  const Register dst = Define(code, cast);
  const uint32_t is_large = code.labels.New(), done = code.labels.New();
  native_.Rr(op::kXorps, dst, dst);
  native_.CompareWithZero(8, integer);
  native_.Jcc(Cond::kS, is_large);
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, integer);
  native_.Jmp(done);
  code.labels.Bind(is_large);
  native_.Mov(8, half, integer);
  native_.Mov(8, kScratch, integer);
  native_.ShiftRi(Shift::kShr, 8, half, 1);
  native_.AluRi(Alu::kAnd, 4, kScratch, 1);
  native_.AluRr(Alu::kOr, 8, half, kScratch);
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, half);
  native_.Rr(op::Scalar(op::kAddF, is_double), dst, dst);
  code.labels.Bind(done);
}

void FloatsX86_64::EmitFloatToInteger(FunctionCode& code, const ir::Instruction& cast,
                                      bool is_signed) {
  ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bits = BitsOf(cast.type);
  const bool is_double = TypeOf(code, source)->IsDouble();
  const Op convert = op::Scalar(op::kCvttF2si, is_double);
  const Register number = In(code, source);
  if (is_signed || bits < 64) {
    const bool is_narrow = bits < 32 || (bits == 32 && is_signed);
    native_.Rr(AssemblerX86_64::Wide(convert, is_narrow ? 4 : 8), Define(code, cast), number);
    return;
  }
  if (cast.is_strict) return EmitStrictToUnsigned(code, cast, number);
  // What does not fit 63 bits converts to the lowest number, which chooses the conversion of the
  // number less 2^63; the sum of both has no carry.
  const Register dst = Define(code, cast);
  const Register upper = code.locations.Temporary(false);
  const uint64_t limit = is_double ? 0x43e0000000000000u : 0x5f000000u;
  native_.Rr(AssemblerX86_64::Wide(convert, 8), dst, number);
  native_.VectorMov(kVectorScratch, number);
  native_.Rm(op::Scalar(op::kSubF, is_double), kVectorScratch,
             Mem::Relative(RelativeTo::kPool, code.pool.Constant(limit, 0, is_double ? 8 : 4)));
  native_.Rr(AssemblerX86_64::Wide(convert, 8), upper, kVectorScratch);
  native_.Mov(8, kScratch, dst);
  native_.ShiftRi(Shift::kSar, 8, kScratch, 63);
  native_.AluRr(Alu::kAnd, 8, upper, kScratch);
  native_.AluRr(Alu::kOr, 8, dst, upper);
}

// Only the conversion of the number that fits raises exceptions: of the number itself, or of the
// number less 2^63, to which the highest bit is added.
void FloatsX86_64::EmitStrictToUnsigned(FunctionCode& code, const ir::Instruction& cast,
                                        Register number) {
  const bool is_double = TypeAt(code, cast, 0)->IsDouble();
  const Register dst = Define(code, cast);
  const uint64_t bits = is_double ? 0x43e0000000000000u : 0x5f000000u;
  const Mem limit =
      Mem::Relative(RelativeTo::kPool, code.pool.Constant(bits, 0, is_double ? 8 : 4));
  const uint32_t is_small = code.labels.New();
  native_.MovImmediate(kScratch, 0, true);
  native_.VectorMov(kVectorScratch, number);
  native_.Rm(op::Packed(op::kUcomiF, is_double), number, limit);
  native_.Jcc(Cond::kB, is_small);
  native_.Rm(op::Scalar(op::kSubF, is_double), kVectorScratch, limit);
  native_.MovImmediate(kScratch, uint64_t{1} << 63, true);
  code.labels.Bind(is_small);
  native_.Rr(AssemblerX86_64::Wide(op::Scalar(op::kCvttF2si, is_double), 8), dst, kVectorScratch);
  native_.AluRr(Alu::kXor, 8, dst, kScratch);
}

FlagTest FloatsX86_64::EmitFloatCompare(FunctionCode& code, const ir::Instruction& compare) {
  ir::Operand left = OperandAt(code, compare, 0);
  ir::Operand right = OperandAt(code, compare, 1);
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
  if (IsLongDouble(TypeOf(code, left))) {
    EmitX87Compare(code, native_, left, right, compare.is_signaling);
    return test;
  }
  const unsigned bytes = BytesOf(code, left);
  const Register a = In(code, left);
  const Op compare_op = op::Packed(compare.is_signaling ? op::kComiF : op::kUcomiF, bytes == 8);
  if (Mem mem; IsFloatInMemory(code, right, mem)) {
    native_.Rm(compare_op, a, mem);
  } else {
    native_.Rr(compare_op, a, In(code, right));
  }
  return test;
}

void FloatsX86_64::LowerHalfCast(FunctionCode& code, const ir::Instruction& cast) {
  const ir::Operand source = OperandAt(code, cast, 0);
  const bool is_extension = cast.opcode == ir::Opcode::kFPExt;
  if (!code.options.coverage.has_half_conversions || TypeOf(code, source)->IsDouble()) {
    return CallLibrary(code,
                       is_extension                       ? "__extendhfsf2"
                       : TypeOf(code, source)->IsDouble() ? "__truncdfhf2"
                                                          : "__truncsfhf2",
                       cast, {source});
  }
  const Register number = In(code, source);
  if (is_extension) {
    native_.HalfToFloat(Define(code, cast), number);
  } else {
    native_.FloatToHalf(Define(code, cast), number);
  }
}

void FloatsX86_64::LowerLongDouble(FunctionCode& code, const ir::Instruction& instruction) {
  LowerX87(code, native_, instruction);
}

void FloatsX86_64::DefineLongDouble(FunctionCode& code, const ir::Instruction& call) {
  DefineX87Result(code, native_, call);
}

void FloatsX86_64::ReturnLongDouble(FunctionCode& code, ir::Operand value) {
  ReturnX87(code, native_, value);
}

void FloatsX86_64::EmitRounding(IntrinsicId intrinsic, bool is_double, Register reg) {
  if (intrinsic == IntrinsicId::kSqrt)
    return native_.Rr(op::Scalar(op::kSqrtF, is_double), reg, reg);
  native_.RrI(is_double ? op::kRoundsd : op::kRoundss, reg, reg,
              static_cast<uint8_t>(RoundingModeOf(intrinsic)));
}

bool FloatsX86_64::EmitFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) {
  const ir::Type* type = intrinsic.type;
  if (IsLongDouble(TypeAt(code, intrinsic, 0))) return EmitX87Intrinsic(code, native_, intrinsic);
  const bool is_double = type->IsDouble();
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kFabs:
      native_.Rm(op::kAndps, DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0)),
                 FloatMask(code, type, /*sign_only=*/false));
      return true;
    case IntrinsicId::kCopysign: {
      native_.VectorMov(kVectorScratch, In(code, OperandAt(code, intrinsic, 1)));
      native_.Rm(op::kAndps, kVectorScratch, FloatMask(code, type, true));
      const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
      native_.Rm(op::kAndps, dst, FloatMask(code, type, false));
      native_.Rr(op::kOrps, dst, kVectorScratch);
      return true;
    }
    case IntrinsicId::kSqrt: {
      const Register source = In(code, OperandAt(code, intrinsic, 0));
      native_.Rr(op::Scalar(op::kSqrtF, is_double), Define(code, intrinsic), source);
      return true;
    }
    case IntrinsicId::kFmuladd: {
      const Register factor = In(code, OperandAt(code, intrinsic, 1));
      const Register summand = In(code, OperandAt(code, intrinsic, 2));
      const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
      native_.Rr(op::Scalar(op::kMulF, is_double), dst, factor);
      native_.Rr(op::Scalar(op::kAddF, is_double), dst, summand);
      return true;
    }
    default:
      break;
  }
  const int mode = RoundingModeOf(code.function->IntrinsicOf(intrinsic));
  if (mode < 0 || !code.options.coverage.has_rounding) return false;
  LowerRounding(code, intrinsic, static_cast<unsigned>(mode));
  return true;
}

void FloatsX86_64::LowerRounding(FunctionCode& code, const ir::Instruction& intrinsic,
                                 unsigned mode) {
  const Register source = In(code, OperandAt(code, intrinsic, 0));
  native_.RrI(intrinsic.type->IsDouble() ? op::kRoundsd : op::kRoundss, Define(code, intrinsic),
              source, static_cast<uint8_t>(mode));
}

}  // namespace firstcall::baseline::x86_64
