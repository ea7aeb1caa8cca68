#include "backend/baseline/comparisons.h"

#include <utility>

#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/quad_floats.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vectors.h"
#include "backend/baseline/wide_integers.h"

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

// Whether the flags are still those of an update in memory whose result `compare` is about.
bool IsDecidedByUpdate(const FunctionCode& code, const ir::Instruction& compare) {
  const uint32_t number = code.function->NumberOf(compare);
  if (number == code.function->blocks[compare.block].first_instruction) return false;
  const ir::Instruction& store = code.function->instructions[number - 1];
  return store.opcode == Opcode::kStore && TestOfUpdate(*code.function, store) == &compare &&
         IsEmittedAsOne(code, UpdateEndingIn(*code.function, store));
}

FlagTest EmitIntegerCompare(FunctionCode& code, const ir::Instruction& compare) {
  ir::Operand left = OperandAt(code, compare, 0);
  ir::Operand right = OperandAt(code, compare, 1);
  Predicate predicate = compare.predicate();
  if (IsDecidedByUpdate(code, compare)) return One(CondOfSign(predicate));
  const unsigned bits = BitsOf(TypeOf(code, left));
  if (left.IsConstant() && !right.IsConstant()) {
    std::swap(left, right);
    predicate = Swapped(predicate);
  }
  const bool is_narrow = bits == 8 || bits == 16;
  if (bits != 32 && bits != 64 && !(is_narrow && code.architecture.has_narrow_operations)) {
    const bool is_signed = IsSigned(predicate);
    const unsigned bytes = OperationBytes(bits);
    const Register a = InExtended(code, left, is_signed, bytes);
    if (const ir::Constant* constant = IntegerOf(code, right); constant != nullptr && is_narrow) {
      code.assembler.AluRi(
          Alu::kCmp, bytes, a,
          static_cast<int32_t>(is_signed ? constant->bits() : constant->unsigned_bits()));
      return One(CondOf(predicate));
    }
    const Register b = InExtended(code, right, is_signed, bytes);
    code.assembler.AluRr(Alu::kCmp, bytes, a, b);
    return One(CondOf(predicate));
  }
  const unsigned bytes = bits / 8;
  int32_t immediate = 0;
  const bool is_immediate = ImmediateOf(code, right, immediate);
  // The left operand in memory: a load that is computed here, or a slot.
  ArithmeticOperand operand;
  if (!left.IsConstant()) operand = OperandOf(code, left, bytes);
  if (operand.kind == ArithmeticOperand::Kind::kMemory) {
    if (is_immediate) {
      code.assembler.AluMi(Alu::kCmp, bytes, operand.mem, immediate);
    } else {
      code.assembler.AluMr(Alu::kCmp, bytes, operand.mem, In(code, right));
    }
    return One(CondOf(predicate));
  }
  const Register a =
      operand.kind == ArithmeticOperand::Kind::kRegister && operand.reg != kNoRegister
          ? operand.reg
          : In(code, left);
  if (is_immediate && immediate == 0) {
    code.assembler.CompareWithZero(bytes, a);
  } else {
    EmitAlu(code, Alu::kCmp, bytes, a, OperandOf(code, right, bytes));
  }
  return One(CondOf(predicate));
}

FlagTest EmitWideCompare(FunctionCode& code, const ir::Instruction& compare) {
  ir::Operand left = OperandAt(code, compare, 0);
  ir::Operand right = OperandAt(code, compare, 1);
  Predicate predicate = compare.predicate();
  if (predicate == Predicate::kIcmpEq || predicate == Predicate::kIcmpNe) {
    const Register low = Copy(code, left, 0);
    const Register right_low = In(code, right, 0);
    code.assembler.AluRr(Alu::kXor, 8, low, right_low);
    code.locations.registers().Unpin(right_low);
    const Register high = Copy(code, left, 1);
    Extend(code, high, high, BitsOf(TypeOf(code, left)) - 64, false, 8);
    code.assembler.AluRr(Alu::kXor, 8, high, InUpper(code, right, false));
    code.assembler.AluRr(Alu::kOr, 8, low, high);
    if (!code.architecture.bitwise_sets_flags) code.assembler.CompareWithZero(8, low);
    return One(CondOf(predicate));
  }
  // a < b is the sign or the carry of a - b; the other orders are that one swapped or negated.
  const bool is_signed = IsSigned(predicate);
  if (predicate == Predicate::kIcmpUgt || predicate == Predicate::kIcmpUle ||
      predicate == Predicate::kIcmpSgt || predicate == Predicate::kIcmpSle) {
    std::swap(left, right);
    predicate = Swapped(predicate);
  }
  const Register high = Copy(code, left, 1);
  Extend(code, high, high, BitsOf(TypeOf(code, left)) - 64, is_signed, 8);
  const Register right_high = InUpper(code, right, is_signed);
  const Register left_low = In(code, left, 0);
  const Register right_low = In(code, right, 0);
  code.assembler.AluRr(Alu::kCmp, 8, left_low, right_low);
  code.assembler.AluRr(Alu::kSbb, 8, high, right_high);
  return One(CondOf(predicate));
}

FlagTest EmitCompare(FunctionCode& code, const ir::Instruction& compare) {
  if (compare.opcode == Opcode::kFCmp) return code.native.floats.EmitFloatCompare(code, compare);
  if (BitsOf(TypeAt(code, compare, 0)) > 64) return EmitWideCompare(code, compare);
  return EmitIntegerCompare(code, compare);
}

// The size in bytes of an operation on a byte if the bits above the byte are unspecified.
unsigned ByteOperation(const FunctionCode& code) {
  return code.architecture.has_narrow_operations ? 1 : 4;
}

void SetFrom(FunctionCode& code, const FlagTest& test, Register dst) {
  code.assembler.Set(test.first, dst);
  if (test.combination == Combination::kOne) return;
  const Register second = code.architecture.scratch;
  code.assembler.Set(test.second, second);
  code.assembler.AluRr(test.combination == Combination::kBoth ? Alu::kAnd : Alu::kOr,
                       ByteOperation(code), dst, second);
}

// Chooses by the flags, which nothing on the way changes: moves, loads and stores do not.
void SelectPart(FunctionCode& code, const ir::Instruction& select, const FlagTest& test,
                unsigned part) {
  const uint32_t number = NumberOf(code, select) + part;
  const ValuePart& result = code.facts.values[number];
  if (result.is_vector) {
    const Register if_true = In(code, OperandAt(code, select, 1), part);
    const Register dst = DefineFrom(code, select, OperandAt(code, select, 2), part, part);
    const uint32_t done = code.labels.New(), take = code.labels.New();
    switch (test.combination) {
      case Combination::kOne:
        code.assembler.Jcc(Negate(test.first), done);
        break;
      case Combination::kBoth:
        code.assembler.Jcc(Negate(test.first), done);
        code.assembler.Jcc(Negate(test.second), done);
        break;
      case Combination::kEither:
        code.assembler.Jcc(test.first, take);
        code.assembler.Jcc(Negate(test.second), done);
        break;
    }
    code.labels.Bind(take);
    code.assembler.VectorMov(dst, if_true);
    code.labels.Bind(done);
    return;
  }
  const unsigned bytes = result.bytes == 8 ? 8 : 4;
  if (test.combination == Combination::kBoth) {
    const Register if_false = In(code, OperandAt(code, select, 2), part);
    const Register dst = DefineFrom(code, select, OperandAt(code, select, 1), part, part);
    code.assembler.Select(Negate(test.first), bytes, dst, if_false);
    code.assembler.Select(Negate(test.second), bytes, dst, if_false);
    return;
  }
  const Register if_true = In(code, OperandAt(code, select, 1), part);
  const Register dst = DefineFrom(code, select, OperandAt(code, select, 2), part, part);
  code.assembler.Select(test.first, bytes, dst, if_true);
  if (test.combination == Combination::kEither) {
    code.assembler.Select(test.second, bytes, dst, if_true);
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

FlagTest EmitTest(FunctionCode& code, ir::Operand condition) {
  const ir::Instruction* deferred = DeferredOf(code, condition);
  if (deferred != nullptr &&
      (deferred->opcode == Opcode::kICmp || deferred->opcode == Opcode::kFCmp)) {
    const Predicate predicate = deferred->predicate();
    if (predicate != Predicate::kFalse && predicate != Predicate::kTrue) {
      return EmitCompare(code, *deferred);
    }
  }
  code.assembler.TestRi(1, In(code, condition), 1);
  return One(Cond::kNe);
}

void LowerCompare(FunctionCode& code, const ir::Instruction& compare) {
  if (compare.type->IsVector()) return LowerLanes(code, compare);
  const Predicate predicate = compare.predicate();
  if (predicate == Predicate::kFalse || predicate == Predicate::kTrue) {
    code.assembler.MovImmediate(Define(code, compare), predicate == Predicate::kTrue ? 1 : 0, true);
    return;
  }
  if (IsQuad(TypeAt(code, compare, 0))) return LowerQuadCompare(code, compare);
  const FlagTest test = EmitCompare(code, compare);
  code.locations.registers().UnpinAll();
  for (ir::Operand operand : code.function->OperandsOf(compare)) {
    const uint32_t number = NumberOf(code, operand);
    if (number != kNone) code.locations.Release(code.locations.RegisterOf(number));
  }
  SetFrom(code, test, Define(code, compare));
}

void LowerSelect(FunctionCode& code, const ir::Instruction& select) {
  if (TypeAt(code, select, 0)->IsVector()) return LowerLanes(code, select);
  const unsigned parts = code.facts.values[NumberOf(code, select)].parts;
  if (parts == 1) {
    const FlagTest test = EmitTest(code, OperandAt(code, select, 0));
    code.locations.registers().UnpinAll();
    SelectPart(code, select, test, 0);
    return;
  }
  const Register condition = code.locations.Temporary(false);
  SetFrom(code, EmitTest(code, OperandAt(code, select, 0)), condition);
  code.locations.registers().UnpinAll();
  code.locations.registers().Pin(condition);
  for (unsigned part = 0; part < parts; ++part) {
    code.assembler.CompareWithZero(1, condition);
    SelectPart(code, select, One(Cond::kNe), part);
    code.locations.registers().UnpinAll();
    code.locations.registers().Pin(condition);
  }
}

}  // namespace firstcall::baseline
