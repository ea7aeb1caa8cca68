// Comparisons, and what depends on them without a branch.

#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;
using ir::Predicate;
using Combination = FlagTest::Combination;

// Of a comparison with zero, by the flags of the operation that made the left operand.
Cond CondOfSign(Predicate predicate) {
  switch (predicate) {
    case Predicate::kIcmpSlt:
      return Cond::kS;
    case Predicate::kIcmpSge:
      return Cond::kNs;
    default:
      return CondOf(predicate);
  }
}

// Of a comparison of integers: the one that holds if its operands are swapped.
Predicate Swapped(Predicate predicate) {
  switch (predicate) {
    case Predicate::kIcmpUgt:
      return Predicate::kIcmpUlt;
    case Predicate::kIcmpUge:
      return Predicate::kIcmpUle;
    case Predicate::kIcmpUlt:
      return Predicate::kIcmpUgt;
    case Predicate::kIcmpUle:
      return Predicate::kIcmpUge;
    case Predicate::kIcmpSgt:
      return Predicate::kIcmpSlt;
    case Predicate::kIcmpSge:
      return Predicate::kIcmpSle;
    case Predicate::kIcmpSlt:
      return Predicate::kIcmpSgt;
    case Predicate::kIcmpSle:
      return Predicate::kIcmpSge;
    default:
      return predicate;
  }
}

}  // namespace

Cond CondOf(Predicate predicate) {
  switch (predicate) {
    case Predicate::kIcmpEq:
      return Cond::kE;
    case Predicate::kIcmpNe:
      return Cond::kNe;
    case Predicate::kIcmpUgt:
      return Cond::kA;
    case Predicate::kIcmpUge:
      return Cond::kAe;
    case Predicate::kIcmpUlt:
      return Cond::kB;
    case Predicate::kIcmpUle:
      return Cond::kBe;
    case Predicate::kIcmpSgt:
      return Cond::kG;
    case Predicate::kIcmpSge:
      return Cond::kGe;
    case Predicate::kIcmpSlt:
      return Cond::kL;
    default:
      return Cond::kLe;
  }
}

FlagTest Lowering::EmitCompare(const ir::Instruction& compare) {
  if (compare.opcode == Opcode::kFCmp) return EmitFloatCompare(compare);
  if (BitsOf(TypeAt(compare, 0)) > 64) return EmitWideCompare(compare);
  return EmitIntegerCompare(compare);
}

FlagTest Lowering::EmitIntegerCompare(const ir::Instruction& compare) {
  ir::Operand left = OperandAt(compare, 0);
  ir::Operand right = OperandAt(compare, 1);
  Predicate predicate = compare.predicate();
  if (IsDecidedByUpdate(compare)) return One(CondOfSign(predicate));
  const unsigned bits = BitsOf(TypeOf(left));
  if (left.IsConstant() && !right.IsConstant()) {
    std::swap(left, right);
    predicate = Swapped(predicate);
  }
  const bool is_narrow = bits == 8 || bits == 16;
  if (bits != 32 && bits != 64 && !(is_narrow && architecture_.has_narrow_operations)) {
    const bool is_signed = IsSigned(predicate);
    const unsigned bytes = OperationBytes(bits);
    const Register a = InExtended(left, is_signed, bytes);
    if (const ir::Constant* constant = IntegerOf(right); constant != nullptr && is_narrow) {
      assembler_.AluRi(
          Alu::kCmp, bytes, a,
          static_cast<int32_t>(is_signed ? constant->bits() : constant->unsigned_bits()));
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
  if (!left.IsConstant()) operand = OperandOf(left, bytes);
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
bool Lowering::IsDecidedByUpdate(const ir::Instruction& compare) const {
  const uint32_t number = function_->NumberOf(compare);
  if (number == function_->blocks[compare.block].first_instruction) return false;
  const ir::Instruction& store = function_->instructions[number - 1];
  return store.opcode == Opcode::kStore && TestOfUpdate(*function_, store) == &compare &&
         IsEmittedAsOne(UpdateEndingIn(*function_, store));
}

FlagTest Lowering::EmitWideCompare(const ir::Instruction& compare) {
  ir::Operand left = OperandAt(compare, 0);
  ir::Operand right = OperandAt(compare, 1);
  Predicate predicate = compare.predicate();
  if (predicate == Predicate::kIcmpEq || predicate == Predicate::kIcmpNe) {
    const Register low = Copy(left, 0);
    const Register right_low = In(right, 0);
    assembler_.AluRr(Alu::kXor, 8, low, right_low);
    locations_.registers().Unpin(right_low);
    const Register high = Copy(left, 1);
    Extend(high, high, BitsOf(TypeOf(left)) - 64, false, 8);
    assembler_.AluRr(Alu::kXor, 8, high, InUpper(right, false));
    assembler_.AluRr(Alu::kOr, 8, low, high);
    if (!architecture_.bitwise_sets_flags) assembler_.CompareWithZero(8, low);
    return One(CondOf(predicate));
  }
  // a < b is the sign or the carry of a - b; the other orders are that one swapped or negated.
  const bool is_signed = IsSigned(predicate);
  if (predicate == Predicate::kIcmpUgt || predicate == Predicate::kIcmpUle ||
      predicate == Predicate::kIcmpSgt || predicate == Predicate::kIcmpSle) {
    std::swap(left, right);
    predicate = Swapped(predicate);
  }
  const Register high = Copy(left, 1);
  Extend(high, high, BitsOf(TypeOf(left)) - 64, is_signed, 8);
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

void Lowering::LowerCompare(const ir::Instruction& compare) {
  if (compare.type->IsVector()) return LowerLanes(compare);
  const Predicate predicate = compare.predicate();
  if (predicate == Predicate::kFalse || predicate == Predicate::kTrue) {
    assembler_.MovImmediate(Define(compare), predicate == Predicate::kTrue ? 1 : 0, true);
    return;
  }
  const FlagTest test = EmitCompare(compare);
  locations_.registers().UnpinAll();
  for (ir::Operand operand : function_->OperandsOf(compare)) {
    const uint32_t number = NumberOf(operand);
    if (number != kNone) locations_.Release(locations_.RegisterOf(number));
  }
  SetFrom(test, Define(compare));
}

FlagTest Lowering::EmitTest(ir::Operand condition) {
  const ir::Instruction* deferred = DeferredOf(condition);
  if (deferred != nullptr &&
      (deferred->opcode == Opcode::kICmp || deferred->opcode == Opcode::kFCmp)) {
    const Predicate predicate = deferred->predicate();
    if (predicate != Predicate::kFalse && predicate != Predicate::kTrue) {
      return EmitCompare(*deferred);
    }
  }
  assembler_.TestRi(1, In(condition), 1);
  return One(Cond::kNe);
}

void Lowering::LowerSelect(const ir::Instruction& select) {
  if (TypeAt(select, 0)->IsVector()) return LowerLanes(select);
  const unsigned parts = analysis_.values()[NumberOf(select)].parts;
  if (parts == 1) {
    const FlagTest test = EmitTest(OperandAt(select, 0));
    locations_.registers().UnpinAll();
    SelectPart(select, test, 0);
    return;
  }
  const Register condition = locations_.Temporary(false);
  SetFrom(EmitTest(OperandAt(select, 0)), condition);
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
void Lowering::SelectPart(const ir::Instruction& select, const FlagTest& test, unsigned part) {
  const uint32_t number = NumberOf(select) + part;
  const ValuePart& result = analysis_.values()[number];
  if (result.is_vector) {
    const Register if_true = In(OperandAt(select, 1), part);
    const Register dst = DefineFrom(select, OperandAt(select, 2), part, part);
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
    const Register if_false = In(OperandAt(select, 2), part);
    const Register dst = DefineFrom(select, OperandAt(select, 1), part, part);
    assembler_.Select(Negate(test.first), bytes, dst, if_false);
    assembler_.Select(Negate(test.second), bytes, dst, if_false);
    return;
  }
  const Register if_true = In(OperandAt(select, 1), part);
  const Register dst = DefineFrom(select, OperandAt(select, 2), part, part);
  assembler_.Select(test.first, bytes, dst, if_true);
  if (test.combination == Combination::kEither) {
    assembler_.Select(test.second, bytes, dst, if_true);
  }
}

}  // namespace firstcall::baseline
