#include "backend/baseline/quad_floats.h"

#include <cstdint>

#include "backend/baseline/calls.h"
#include "backend/baseline/operands.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;
using ir::Predicate;

constexpr uint64_t kSign = uint64_t{1} << 63;

const char* NameOfIntegerToQuad(unsigned bits, bool is_signed) {
  if (bits == 32) return is_signed ? "__floatsitf" : "__floatunsitf";
  if (bits == 64) return is_signed ? "__floatditf" : "__floatunditf";
  return is_signed ? "__floattitf" : "__floatuntitf";
}

// A number without a sign that has fewer bits than the function's result is also one with a sign.
const char* NameOfQuadToInteger(unsigned bits, bool is_signed) {
  if (bits <= 32) return is_signed || bits < 32 ? "__fixtfsi" : "__fixunstfsi";
  if (bits <= 64) return is_signed || bits < 64 ? "__fixtfdi" : "__fixunstfdi";
  return is_signed ? "__fixtfti" : "__fixunstfti";
}

const char* NameOfConversion(const FunctionCode& code, const ir::Instruction& cast) {
  const ir::Type* const from = TypeAt(code, cast, 0);
  const bool is_signed = cast.opcode == Opcode::kSIToFP || cast.opcode == Opcode::kFPToSI;
  switch (cast.opcode) {
    case Opcode::kFPExt:
      return from->IsDouble() ? "__extenddftf2" : "__extendsftf2";
    case Opcode::kFPTrunc:
      return cast.type->IsDouble() ? "__trunctfdf2" : "__trunctfsf2";
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return NameOfIntegerToQuad(from->number, is_signed);
    default:
      return NameOfQuadToInteger(cast.type->number, is_signed);
  }
}

const char* NameOfOperation(const FunctionCode& code, Opcode opcode) {
  switch (opcode) {
    case Opcode::kFAdd:
      return "__addtf3";
    case Opcode::kFSub:
      return "__subtf3";
    case Opcode::kFMul:
      return "__multf3";
    case Opcode::kFDiv:
      return "__divtf3";
    default:
      return code.architecture.convention.has_long_doubles ? "fmodf128" : "fmodl";
  }
}

// The function that compares, and how the number that the function returns relates to zero if the
// predicate holds. If an operand is no number, each function returns what makes ordered predicates
// false.
struct Comparison {
  const char* name;
  Cond test;
};

Comparison ComparisonOf(Predicate predicate) {
  switch (predicate) {
    case Predicate::kOeq:
      return {"__eqtf2", Cond::kE};
    case Predicate::kUne:
      return {"__netf2", Cond::kNe};
    case Predicate::kOgt:
      return {"__gttf2", Cond::kG};
    case Predicate::kOge:
      return {"__getf2", Cond::kGe};
    case Predicate::kOlt:
      return {"__lttf2", Cond::kL};
    case Predicate::kOle:
      return {"__letf2", Cond::kLe};
    case Predicate::kUgt:
      return {"__letf2", Cond::kG};
    case Predicate::kUge:
      return {"__lttf2", Cond::kGe};
    case Predicate::kUlt:
      return {"__getf2", Cond::kL};
    case Predicate::kUle:
      return {"__gttf2", Cond::kLe};
    case Predicate::kOrd:
      return {"__unordtf2", Cond::kE};
    default:
      return {"__unordtf2", Cond::kNe};
  }
}

}  // namespace

void LowerQuad(FunctionCode& code, const ir::Instruction& instruction) {
  const ir::Operand first = OperandAt(code, instruction, 0);
  if (ir::IsCast(instruction.opcode)) {
    return CallLibrary(code, NameOfConversion(code, instruction), instruction, {first});
  }
  CallLibrary(code, NameOfOperation(code, instruction.opcode), instruction,
              {first, OperandAt(code, instruction, 1)});
}

void LowerQuadCompare(FunctionCode& code, const ir::Instruction& compare) {
  const Comparison comparison = ComparisonOf(compare.predicate());
  CallLibrary(code, comparison.name, compare,
              {OperandAt(code, compare, 0), OperandAt(code, compare, 1)}, comparison.test);
}

void LowerQuadSign(FunctionCode& code, const ir::Instruction& instruction) {
  ConstantPart sign, others;
  sign.high = kSign;
  others.low = ~uint64_t{0};
  others.high = ~kSign;
  const Register scratch = code.architecture.vector_scratch;
  const ir::Operand value = OperandAt(code, instruction, 0);
  Assembler& assembler = code.assembler;
  if (instruction.opcode == Opcode::kFNeg) {
    const Register dst = DefineFrom(code, instruction, value);
    MaterializeBits(code, scratch, sign, 16);
    return assembler.LanesRr(LaneOp::kXor, 8, dst, scratch);
  }
  const bool copies_sign = code.function->IntrinsicOf(instruction) == ir::IntrinsicId::kCopysign;
  const Register other = copies_sign ? In(code, OperandAt(code, instruction, 1)) : kNoRegister;
  const Register dst = DefineFrom(code, instruction, value);
  MaterializeBits(code, scratch, others, 16);
  assembler.LanesRr(LaneOp::kAnd, 8, dst, scratch);
  if (!copies_sign) return;
  MaterializeBits(code, scratch, sign, 16);
  assembler.LanesRr(LaneOp::kAnd, 8, scratch, other);
  assembler.LanesRr(LaneOp::kOr, 8, dst, scratch);
}

}  // namespace firstcall::baseline
