// Terminators, and the landing pads that the edges of invokes lead to.

#include <algorithm>

#include "ir/check.h"
#include "ir/check_call.h"
#include "ir/global.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

// The exception and a number, each in a general register: other landing pads are LLVM's.
bool IsKnownException(const Type& type) {
  return type.IsStruct() && type.members().size() == 2 &&
         std::all_of(type.members().begin(), type.members().end(), [](const Type* member) {
           return member->IsPointer() ? member->number == 0
                                      : member->IsInteger() && member->number <= 64;
         });
}

Fault EntryIsTarget() { return Fault::Invalid("the entry block is a target"); }

// `kind`: of the clause, as Function::targets has it.
Fault CheckClause(const Constant* clause, uint32_t kind) {
  if (clause == nullptr) return Fault::Invalid("a clause is no constant");
  if (kind == 0) {
    return clause->type->IsPointer() ? Fault() : Fault::Invalid("a catch clause is no pointer");
  }
  const bool is_list = clause->type->IsArray() && (clause->kind == ConstantKind::kAggregate ||
                                                   clause->kind == ConstantKind::kNull);
  return kind == 1 && is_list ? Fault()
                              : Fault::Invalid("a filter clause is no array of constants");
}

}  // namespace

Fault Checker::CheckTerminator(const Instruction& terminator) {
  if (Fault fault = CheckTargets(terminator)) return fault;
  switch (terminator.opcode) {
    case Opcode::kInvoke:
      if (Fault fault = CheckInvoke(terminator)) return fault;
      return CheckCall(*function_, terminator, *scope_);
    case Opcode::kCallBr:
      return CheckCall(*function_, terminator, *scope_);
    case Opcode::kRet:
      return CheckReturn(terminator);
    case Opcode::kSwitch:
      return CheckSwitch(terminator);
    case Opcode::kIndirectBr:
      return scope_->TypeOf(OperandsOf(terminator)[0])->IsPointer()
                 ? Fault()
                 : Fault::Invalid("the address is no pointer");
    case Opcode::kResume:
      return CheckException(*scope_->TypeOf(OperandsOf(terminator)[0]));
    case Opcode::kUnreachable:
      return {};
    default:
      return Fault::Unknown("terminators of Windows' exceptions");
  }
}

Fault Checker::CheckTargets(const Instruction& terminator) const {
  for (uint32_t target : function_->TargetsOf(terminator)) {
    if (target == 0) return EntryIsTarget();
  }
  return {};
}

Fault Checker::CheckReturn(const Instruction& instruction) const {
  const Type* const type = function_->global().value_type()->result();
  if (instruction.operand_count == 0) {
    return type->IsVoid() ? Fault() : Fault::Invalid("the function must return a value");
  }
  if (type->kind == TypeKind::kOpaqueStruct) return Fault::Unknown("a result of an opaque type");
  return scope_->TypeOf(OperandsOf(instruction)[0]) == type
             ? Fault()
             : Fault::Invalid("the function returns values of another type");
}

Fault Checker::CheckBranch(const Instruction& branch) const {
  const absl::Span<const uint32_t> targets = function_->TargetsOf(branch);
  if (targets.size() != branch.operand_count + 1) {
    return Fault::Invalid("two targets need a condition, and one target needs none");
  }
  if (targets[0] == 0 || targets[targets.size() - 1] == 0) return EntryIsTarget();
  return branch.operand_count == 0 || scope_->TypeOf(OperandsOf(branch)[0])->IsInteger(1)
             ? Fault()
             : Fault::Invalid("the condition is no i1");
}

Fault Checker::CheckSwitch(const Instruction& instruction) {
  const absl::Span<const Operand> operands = OperandsOf(instruction);
  if (instruction.target_count != operands.size()) {
    return Fault::Invalid("the cases have not one target each");
  }
  const Type& type = *scope_->TypeOf(operands[0]);
  if (!type.IsInteger()) return Fault::Invalid("the condition is no integer");
  if (type.number > 64) return Fault::Unknown("a condition of more than 64 bits");
  cases_.clear();
  bool is_ordered = true;
  for (Operand operand : operands.subspan(1)) {
    const Constant* const value = scope_->ConstantOf(operand);
    if (value == nullptr || !value->IsInteger() || value->type != &type) {
      return Fault::Invalid("a case is no number of the condition's type");
    }
    const auto number = static_cast<int64_t>(value->bits());
    is_ordered &= cases_.empty() || cases_.back() < number;
    cases_.push_back(number);
  }
  if (is_ordered) return {};
  std::sort(cases_.begin(), cases_.end());
  return std::adjacent_find(cases_.begin(), cases_.end()) == cases_.end()
             ? Fault()
             : Fault::Invalid("two cases are the same number");
}

Fault Checker::CheckException(const Type& type) {
  if (function_->global().personality().IsNothing()) {
    return Fault::Invalid("the function has no personality");
  }
  if (exception_type_ == nullptr) exception_type_ = &type;
  if (&type != exception_type_) {
    return Fault::Invalid("another type of exceptions than before in the function");
  }
  return IsKnownException(type) ? Fault() : Fault::Unknown("exceptions of such a type");
}

Fault Checker::CheckLandingPad(const Instruction& pad) {
  if (current_ != behind_phis_) {
    return Fault::Invalid("a landing pad that is not the first instruction behind the phis");
  }
  if (pad.block == 0) return Fault::Invalid("a landing pad in the entry block");
  if (Fault fault = CheckException(*pad.type)) return fault;
  const absl::Span<const Operand> clauses = OperandsOf(pad);
  const absl::Span<const uint32_t> kinds = function_->TargetsOf(pad);
  if (kinds.size() != clauses.size()) return Fault::Invalid("the clauses have not one kind each");
  if (clauses.empty() && !pad.is_cleanup) {
    return Fault::Invalid("a landing pad that is no cleanup and has no clauses");
  }
  for (uint32_t i = 0; i < clauses.size(); ++i) {
    if (Fault fault = CheckClause(scope_->ConstantOf(clauses[i]), kinds[i])) return fault;
  }
  pads_.push_back(current_);
  return {};
}

Fault Checker::CheckInvoke(const Instruction& invoke) const {
  if (invoke.target_count != 2) return Fault::Invalid("an invoke has not two targets");
  const Block& unwind = function_->blocks[function_->TargetsOf(invoke)[1]];
  switch (function_->FirstBehindPhis(unwind).opcode) {
    case Opcode::kLandingPad:
      return {};
    case Opcode::kCleanupPad:
    case Opcode::kCatchSwitch:
      return Fault::Unknown("pads of Windows' exceptions");
    default:
      return Fault::Invalid("the invoke unwinds to a block without a landing pad");
  }
}

Fault Checker::CheckEdgesToPads() {
  for (uint32_t pad : pads_) {
    current_ = pad;
    const uint32_t block = function_->instructions[pad].block;
    for (uint32_t source : flow_.PredecessorsOf(block)) {
      const Instruction& terminator = function_->TerminatorOf(function_->blocks[source]);
      if (terminator.opcode != Opcode::kInvoke || function_->TargetsOf(terminator)[0] == block) {
        return Fault::Invalid("the landing pad is the target of what does not unwind");
      }
    }
  }
  return {};
}

}  // namespace firstcall::ir
