#include "backend/baseline/vectors_x86_64.h"

#include <cstdint>
#include <utility>

#include "backend/baseline/lanes.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline::x86_64 {

using ir::Predicate;

void VectorsX86_64::SplitVector(Register low, Register high, Register vector) {
  native_.FromVector(8, low, vector);
  native_.VectorMov(kVectorScratch, vector);
  native_.Rr(op::kMovhlps, kVectorScratch, vector);
  native_.FromVector(8, high, kVectorScratch);
}

void VectorsX86_64::JoinVector(Register vector, Register low, Register high) {
  native_.ToVector(8, vector, low);
  native_.ToVector(8, kVectorScratch, high);
  native_.Rr(op::kPunpcklqdq, vector, kVectorScratch);
}

Register VectorsX86_64::MaskBits(FunctionCode& code, ir::Operand vector) {
  const Register mask = In(code, vector);
  const Register bits = code.locations.Temporary(false);
  const ir::Type* const type = TypeOf(code, vector);
  switch (LaneBits(type)) {
    case 64:
      native_.Rr(op::Packed(op::kMovmskF, true), bits, mask);
      break;
    case 32:
      native_.Rr(op::Packed(op::kMovmskF, false), bits, mask);
      break;
    case 16:
      native_.VectorMov(kVectorScratch, mask);
      native_.Rr(op::kPacksswb, kVectorScratch, kVectorScratch);
      native_.Rr(op::kPmovmskb, bits, kVectorScratch);
      native_.AluRi(Alu::kAnd, 4, bits, (1 << LaneCount(type)) - 1);
      return bits;
    default:
      native_.Rr(op::kPmovmskb, bits, mask);
      break;
  }
  if (LaneCount(type) * LaneBits(type) < 128) {
    native_.AluRi(Alu::kAnd, 4, bits, (1 << LaneCount(type)) - 1);
  }
  return bits;
}

// The masks of one float, or two, are doubled.
void VectorsX86_64::LowerVectorFloatCompare(FunctionCode& code, const ir::Instruction& compare) {
  const ir::Type* type = TypeAt(code, compare, 0);
  const Register left = In(code, OperandAt(code, compare, 0));
  const Register right = In(code, OperandAt(code, compare, 1));
  const Register dst = Define(code, compare);
  CompareFloatLanes(compare.predicate(), type->scalar()->IsDouble(), dst, left, right);
  if (LaneBits(type) == 32 && LaneCount(type) <= 2) {
    native_.Rr(op::kUnpcklps, dst, dst);
  }
}

// CMPPS and CMPPD.
void VectorsX86_64::CompareFloatLanes(Predicate predicate, bool is_double, Register dst,
                                      Register left, Register right) {
  enum Test : uint8_t { kEq, kLt, kLe, kUnordered, kNe, kNotLt, kNotLe, kOrdered };
  struct Plan {
    Test test;
    bool swaps;
    int second = -1;      // Another test.
    bool is_and = false;  // Of both results, or else either.
  };
  Plan plan{kEq, false};
  switch (predicate) {
    case Predicate::kOlt:
      plan = {kLt, false};
      break;
    case Predicate::kOle:
      plan = {kLe, false};
      break;
    case Predicate::kOgt:
      plan = {kLt, true};
      break;
    case Predicate::kOge:
      plan = {kLe, true};
      break;
    case Predicate::kUno:
      plan = {kUnordered, false};
      break;
    case Predicate::kOrd:
      plan = {kOrdered, false};
      break;
    case Predicate::kUne:
      plan = {kNe, false};
      break;
    case Predicate::kUge:
      plan = {kNotLt, false};
      break;
    case Predicate::kUgt:
      plan = {kNotLe, false};
      break;
    case Predicate::kUle:
      plan = {kNotLt, true};
      break;
    case Predicate::kUlt:
      plan = {kNotLe, true};
      break;
    case Predicate::kUeq:
      plan = {kEq, false, kUnordered, false};
      break;
    case Predicate::kOne:
      plan = {kNe, false, kOrdered, true};
      break;
    case Predicate::kTrue:
      plan = {kEq, false, kNe, false};
      break;
    case Predicate::kFalse:
      plan = {kEq, false, kNe, true};
      break;
    default:
      break;
  }
  if (plan.swaps) std::swap(left, right);
  const Op op = op::Packed(op::kCmpF, is_double);
  const auto test = [&](Register reg, uint8_t number) {
    native_.VectorMov(reg, left);
    native_.RrI(op, reg, right, number);
  };
  test(dst, plan.test);
  if (plan.second >= 0) {
    test(kVectorScratch, static_cast<uint8_t>(plan.second));
    native_.Rr(plan.is_and ? op::kPand : op::kPor, dst, kVectorScratch);
  }
}

}  // namespace firstcall::baseline::x86_64
