// Vectors: masks, and comparisons that make them.

#include "backend/baseline/lowering_x86_64.h"

namespace firstcall::baseline::x86_64 {

Register LoweringX86_64::MaskBits(const llvm::Value* vector) {
  const Register mask = In(vector);
  const Register bits = locations_.Temporary(false);
  switch (LaneCount(vector->getType())) {
    case 2:
      native_.Rr(op::Packed(op::kMovmskF, true), bits, mask);
      break;
    case 4:
      native_.Rr(op::Packed(op::kMovmskF, false), bits, mask);
      break;
    case 8:
      native_.VectorMov(kVectorScratch, mask);
      native_.Rr(op::kPacksswb, kVectorScratch, kVectorScratch);
      native_.Rr(op::kPmovmskb, bits, kVectorScratch);
      native_.AluRi(Alu::kAnd, 4, bits, 0xff);
      break;
    default:
      native_.Rr(op::kPmovmskb, bits, mask);
      break;
  }
  return bits;
}

// CMPPS and CMPPD make masks as wide as the lanes. Those of <2 x float> are doubled.
void LoweringX86_64::LowerVectorFloatCompare(const llvm::FCmpInst& compare) {
  enum Test : uint8_t { kEq, kLt, kLe, kUnordered, kNe, kNotLt, kNotLe, kOrdered };
  struct Plan {
    Test test;
    bool swaps;
    int second = -1;      // Another test.
    bool is_and = false;  // Of both results, or else either.
  };
  Plan plan{kEq, false};
  switch (compare.getPredicate()) {
    case llvm::CmpInst::FCMP_OLT:
      plan = {kLt, false};
      break;
    case llvm::CmpInst::FCMP_OLE:
      plan = {kLe, false};
      break;
    case llvm::CmpInst::FCMP_OGT:
      plan = {kLt, true};
      break;
    case llvm::CmpInst::FCMP_OGE:
      plan = {kLe, true};
      break;
    case llvm::CmpInst::FCMP_UNO:
      plan = {kUnordered, false};
      break;
    case llvm::CmpInst::FCMP_ORD:
      plan = {kOrdered, false};
      break;
    case llvm::CmpInst::FCMP_UNE:
      plan = {kNe, false};
      break;
    case llvm::CmpInst::FCMP_UGE:
      plan = {kNotLt, false};
      break;
    case llvm::CmpInst::FCMP_UGT:
      plan = {kNotLe, false};
      break;
    case llvm::CmpInst::FCMP_ULE:
      plan = {kNotLt, true};
      break;
    case llvm::CmpInst::FCMP_ULT:
      plan = {kNotLe, true};
      break;
    case llvm::CmpInst::FCMP_UEQ:
      plan = {kEq, false, kUnordered, false};
      break;
    case llvm::CmpInst::FCMP_ONE:
      plan = {kNe, false, kOrdered, true};
      break;
    case llvm::CmpInst::FCMP_TRUE:
      plan = {kEq, false, kNe, false};
      break;
    case llvm::CmpInst::FCMP_FALSE:
      plan = {kEq, false, kNe, true};
      break;
    default:
      break;
  }
  const llvm::Type* type = compare.getOperand(0)->getType();
  const Register left = In(compare.getOperand(plan.swaps ? 1 : 0));
  const Register right = In(compare.getOperand(plan.swaps ? 0 : 1));
  const Op op = op::Packed(op::kCmpF, type->getScalarType()->isDoubleTy());
  const Register dst = Define(compare);
  const auto test = [&](Register reg, uint8_t number) {
    native_.VectorMov(reg, left);
    native_.RrI(op, reg, right, number);
  };
  test(dst, plan.test);
  if (plan.second >= 0) {
    test(kVectorScratch, static_cast<uint8_t>(plan.second));
    native_.Rr(plan.is_and ? op::kPand : op::kPor, dst, kVectorScratch);
  }
  if (LaneBits(type) == 32 && LaneCount(type) == 2) {
    native_.Rr(op::kUnpcklps, dst, dst);
  }
}

}  // namespace firstcall::baseline::x86_64
