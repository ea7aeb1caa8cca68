// Comparisons, and what depends on them without a branch.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

using llvm::CmpInst;
using Combination = FlagTest::Combination;

// Of a comparison with zero, by the flags of the operation that made the left operand.
Cond CondOfSign(CmpInst::Predicate predicate) {
  switch (predicate) {
    case CmpInst::ICMP_SLT:
      return Cond::kS;
    case CmpInst::ICMP_SGE:
      return Cond::kNs;
    default:
      return CondOf(predicate);
  }
}

}  // namespace

Cond CondOf(CmpInst::Predicate predicate) {
  switch (predicate) {
    case CmpInst::ICMP_EQ:
      return Cond::kE;
    case CmpInst::ICMP_NE:
      return Cond::kNe;
    case CmpInst::ICMP_UGT:
      return Cond::kA;
    case CmpInst::ICMP_UGE:
      return Cond::kAe;
    case CmpInst::ICMP_ULT:
      return Cond::kB;
    case CmpInst::ICMP_ULE:
      return Cond::kBe;
    case CmpInst::ICMP_SGT:
      return Cond::kG;
    case CmpInst::ICMP_SGE:
      return Cond::kGe;
    case CmpInst::ICMP_SLT:
      return Cond::kL;
    default:
      return Cond::kLe;
  }
}

FlagTest Lowering::EmitCompare(const CmpInst& compare) {
  if (compare.getOpcode() == llvm::Instruction::FCmp) return EmitFloatCompare(compare);
  if (BitsOf(compare.getOperand(0)->getType()) > 64) return EmitWideCompare(compare);
  return EmitIntegerCompare(compare);
}

FlagTest Lowering::EmitIntegerCompare(const CmpInst& compare) {
  const llvm::Value* left = compare.getOperand(0);
  const llvm::Value* right = compare.getOperand(1);
  CmpInst::Predicate predicate = compare.getPredicate();
  if (IsDecidedByUpdate(compare)) return One(CondOfSign(predicate));
  const unsigned bits = BitsOf(left->getType());
  if (llvm::isa<llvm::Constant>(left) && !llvm::isa<llvm::Constant>(right)) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  const bool is_narrow = bits == 8 || bits == 16;
  if (bits != 32 && bits != 64 && !(is_narrow && architecture_.has_narrow_operations)) {
    const bool is_signed = CmpInst::isSigned(predicate);
    const unsigned bytes = OperationBytes(bits);
    const Register a = InExtended(left, is_signed, bytes);
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(right);
        constant != nullptr && is_narrow) {
      assembler_.AluRi(
          Alu::kCmp, bytes, a,
          static_cast<int32_t>(is_signed ? constant->getSExtValue() : constant->getZExtValue()));
      return One(CondOf(predicate));
    }
    const Register b = InExtended(right, is_signed, bytes);
    assembler_.AluRr(Alu::kCmp, bytes, a, b);
    return One(CondOf(predicate));
  }
  const unsigned bytes = bits / 8;
  int32_t immediate = 0;
  const bool is_immediate = ImmediateOf(right, immediate);
  // The left operand in memory: a load that is computed here, or a slot.
  ArithmeticOperand operand;
  if (!llvm::isa<llvm::Constant>(left)) operand = OperandOf(left, bytes);
  if (operand.kind == ArithmeticOperand::Kind::kMemory) {
    if (is_immediate) {
      assembler_.AluMi(Alu::kCmp, bytes, operand.mem, immediate);
    } else {
      assembler_.AluMr(Alu::kCmp, bytes, operand.mem, In(right));
    }
    return One(CondOf(predicate));
  }
  const Register a =
      operand.kind == ArithmeticOperand::Kind::kRegister && operand.reg != kNoRegister ? operand.reg
                                                                                       : In(left);
  if (is_immediate && immediate == 0) {
    assembler_.CompareWithZero(bytes, a);
  } else {
    EmitAlu(Alu::kCmp, bytes, a, OperandOf(right, bytes));
  }
  return One(CondOf(predicate));
}

// Whether the flags are still those of an update in memory whose result `compare` is about.
bool Lowering::IsDecidedByUpdate(const llvm::CmpInst& compare) const {
  const auto* store = llvm::dyn_cast_or_null<llvm::StoreInst>(compare.getPrevNode());
  return store != nullptr && TestOfUpdate(*store) == &compare &&
         IsEmittedAsOne(UpdateEndingIn(*store));
}

FlagTest Lowering::EmitWideCompare(const CmpInst& compare) {
  const llvm::Value* left = compare.getOperand(0);
  const llvm::Value* right = compare.getOperand(1);
  CmpInst::Predicate predicate = compare.getPredicate();
  if (compare.isEquality()) {
    const Register low = Copy(left, 0);
    const Register right_low = In(right, 0);
    assembler_.AluRr(Alu::kXor, 8, low, right_low);
    locations_.registers().Unpin(right_low);
    const Register high = Copy(left, 1);
    Extend(high, high, BitsOf(left->getType()) - 64, false, 8);
    assembler_.AluRr(Alu::kXor, 8, high, InUpper(right, false));
    assembler_.AluRr(Alu::kOr, 8, low, high);
    if (!architecture_.bitwise_sets_flags) assembler_.CompareWithZero(8, low);
    return One(CondOf(predicate));
  }
  // a < b is the sign or the carry of a - b; the other orders are that one swapped or negated.
  const bool is_signed = CmpInst::isSigned(predicate);
  if (predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_ULE ||
      predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_SLE) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  const Register high = Copy(left, 1);
  Extend(high, high, BitsOf(left->getType()) - 64, is_signed, 8);
  const Register right_high = InUpper(right, is_signed);
  const Register left_low = In(left, 0);
  const Register right_low = In(right, 0);
  assembler_.AluRr(Alu::kCmp, 8, left_low, right_low);
  assembler_.AluRr(Alu::kSbb, 8, high, right_high);
  return One(CondOf(predicate));
}

void Lowering::SetFrom(const FlagTest& test, Register dst) {
  assembler_.Set(test.first, dst);
  if (test.combination == Combination::kOne) return;
  const Register second = architecture_.scratch;
  assembler_.Set(test.second, second);
  assembler_.AluRr(test.combination == Combination::kBoth ? Alu::kAnd : Alu::kOr, ByteOperation(),
                   dst, second);
}

void Lowering::LowerCompare(const CmpInst& compare) {
  if (compare.getType()->isVectorTy()) return LowerLanes(compare);
  const uint64_t predicate = compare.getPredicate();
  if (predicate == CmpInst::FCMP_FALSE || predicate == CmpInst::FCMP_TRUE) {
    assembler_.MovImmediate(Define(compare), predicate == CmpInst::FCMP_TRUE ? 1 : 0, true);
    return;
  }
  const FlagTest test = EmitCompare(compare);
  locations_.registers().UnpinAll();
  for (const llvm::Value* operand : {compare.getOperand(0), compare.getOperand(1)}) {
    const uint32_t number = NumberOf(operand);
    if (number != PointerMap::kMissing) locations_.Release(locations_.RegisterOf(number));
  }
  SetFrom(test, Define(compare));
}

FlagTest Lowering::EmitTest(const llvm::Value* condition) {
  if (const llvm::Instruction* deferred = DeferredOf(condition)) {
    if (const auto* compare = llvm::dyn_cast<CmpInst>(deferred)) {
      const uint64_t predicate = compare->getPredicate();
      if (predicate != CmpInst::FCMP_FALSE && predicate != CmpInst::FCMP_TRUE) {
        return EmitCompare(*compare);
      }
    }
  }
  assembler_.TestRi(1, In(condition), 1);
  return One(Cond::kNe);
}

void Lowering::LowerSelect(const llvm::SelectInst& select) {
  if (select.getCondition()->getType()->isVectorTy()) return LowerLanes(select);
  const unsigned parts = analysis_.values()[NumberOf(&select)].parts;
  if (parts == 1) {
    const FlagTest test = EmitTest(select.getCondition());
    locations_.registers().UnpinAll();
    SelectPart(select, test, 0);
    return;
  }
  const Register condition = locations_.Temporary(false);
  SetFrom(EmitTest(select.getCondition()), condition);
  locations_.registers().UnpinAll();
  locations_.registers().Pin(condition);
  for (unsigned part = 0; part < parts; ++part) {
    assembler_.CompareWithZero(1, condition);
    SelectPart(select, One(Cond::kNe), part);
    locations_.registers().UnpinAll();
    locations_.registers().Pin(condition);
  }
}

// Chooses by the flags, which nothing on the way changes: moves, loads and stores do not.
void Lowering::SelectPart(const llvm::SelectInst& select, const FlagTest& test, unsigned part) {
  const uint32_t number = NumberOf(&select) + part;
  const ValuePart& result = analysis_.values()[number];
  if (result.is_vector) {
    const Register if_true = In(select.getTrueValue(), part);
    const Register dst = DefineFrom(select, select.getFalseValue(), part, part);
    const uint32_t done = NewLabel(), take = NewLabel();
    switch (test.combination) {
      case Combination::kOne:
        assembler_.Jcc(Negate(test.first), done);
        break;
      case Combination::kBoth:
        assembler_.Jcc(Negate(test.first), done);
        assembler_.Jcc(Negate(test.second), done);
        break;
      case Combination::kEither:
        assembler_.Jcc(test.first, take);
        assembler_.Jcc(Negate(test.second), done);
        break;
    }
    Bind(take);
    assembler_.VectorMov(dst, if_true);
    Bind(done);
    return;
  }
  const unsigned bytes = result.bytes == 8 ? 8 : 4;
  if (test.combination == Combination::kBoth) {
    const Register if_false = In(select.getFalseValue(), part);
    const Register dst = DefineFrom(select, select.getTrueValue(), part, part);
    assembler_.Select(Negate(test.first), bytes, dst, if_false);
    assembler_.Select(Negate(test.second), bytes, dst, if_false);
    return;
  }
  const Register if_true = In(select.getTrueValue(), part);
  const Register dst = DefineFrom(select, select.getFalseValue(), part, part);
  assembler_.Select(test.first, bytes, dst, if_true);
  if (test.combination == Combination::kEither) {
    assembler_.Select(test.second, bytes, dst, if_true);
  }
}

}  // namespace firstcall::baseline
