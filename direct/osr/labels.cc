// The answers are those of splitter/osr/labels for the same function.

#include "direct/osr/labels.h"

#include <algorithm>

#include "absl/types/span.h"
#include "direct/osr/address_uses.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/opcode.h"

namespace firstcall::direct {
namespace {

using ir::ConstantKind;
using ir::Opcode;

// Passes over the constants, which mostly stand behind those that they consist of.
constexpr int kMostPasses = 8;

bool HasLabels(const ir::Function& function) {
  return std::any_of(function.blocks.begin(), function.blocks.end(),
                     [](const ir::Block& block) { return block.has_address_taken; });
}

}  // namespace

void Labels::Find(const ir::Function& function, UserLists& users) {
  place_ = Place::kInside;
  holds_.clear();
  if (!HasLabels(function)) return;
  if (function.has_shared_blocks()) return Escape();
  function_ = &function;
  users_ = &users;
  holds_.assign(function.values.size(), false);
  is_pointer_.assign(function.values.size(), false);
  pending_.clear();
  MarkLabels();
  MarkUsers();
  FindTables();
  if (place_ != Place::kInside) return;
  MarkUsers();
  FollowConstants();
  Follow();
}

void Labels::MarkLabels() {
  const absl::Span<const ir::Constant> shared = function_->module().constants();
  const auto mark = [&](const ir::Constant& constant, size_t number) {
    if (constant.kind == ConstantKind::kBlockAddress &&
        constant.global == function_->global_number()) {
      marks_[number] = Mark::kLabels;
    }
  };
  marks_.assign(shared.size() + function_->constants.size(), Mark::kNothing);
  for (uint32_t number : function_->module().block_addresses()) mark(shared[number], number);
  for (size_t i = 0; i < function_->constants.size(); ++i) {
    mark(function_->constants[i], shared.size() + i);
  }
}

// Whether the mark of `constant` has changed because of what the constant consists of.
bool Labels::MarkUsersOf(const ir::Constant& constant, Mark& mark) {
  if (mark != Mark::kNothing) return false;
  for (ir::Operand operand : constant.operands()) {
    const Mark member = marks_[operand.number()];
    if (member == Mark::kNothing) continue;
    const bool is_followed = member == Mark::kLabels
                                 ? constant.kind == ConstantKind::kAggregate
                                 : constant.kind == ConstantKind::kExpression &&
                                       constant.opcode == Opcode::kGetElementPtr;
    if (!is_followed) Escape();
    mark = member;
    return true;
  }
  return false;
}

void Labels::MarkUsers() {
  const absl::Span<const ir::Constant> shared = function_->module().constants();
  bool has_changed = true;
  for (int pass = 0; has_changed; ++pass) {
    if (pass == kMostPasses) return FindUnknown();
    has_changed = false;
    for (size_t i = 0; i < marks_.size(); ++i) {
      const ir::Constant& constant =
          i < shared.size() ? shared[i] : function_->constants[i - shared.size()];
      has_changed |= MarkUsersOf(constant, marks_[i]);
    }
  }
}

void Labels::FindTables() {
  for (const ir::Global& global : function_->module().globals()) {
    for (ir::Operand other : {global.personality, global.prefix_data, global.prologue_data}) {
      if (other.IsConstant() && marks_[other.number()] == Mark::kLabels) Escape();
    }
    if (global.initializer.IsConstant() && marks_[global.initializer.number()] == Mark::kLabels) {
      LookAtTable(global);
    }
  }
}

void Labels::LookAtTable(const ir::Global& global) {
  if (!global.IsVariable() || !global.is_constant || !global.HasLocalLinkage()) return Escape();
  const uint32_t number = function_->module().NumberOf(global);
  const uint32_t user = function_->module().OnlyUserOf(number);
  if (user == ir::kNone) {
    FindUnknown();
  } else if (user == function_->global_number()) {
    marks_[number] = Mark::kTable;
  } else if (user != ir::Module::kNobody) {
    Escape();
  }
}

void Labels::FollowConstants() {
  for (const ir::Instruction& user : function_->instructions) {
    const absl::Span<const ir::Operand> operands = function_->OperandsOf(user);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].IsConstant()) continue;
      const Mark mark = marks_[operands[i].number()];
      if (mark == Mark::kLabels) FollowLabel(user, i);
      if (mark == Mark::kTable) FollowPointer(user);
    }
    // The operands of bundles are unknown.
    if (user.IsCall() && function_->CallOf(user).has_bundles) FindUnknown();
  }
}

void Labels::Follow() {
  while (!pending_.empty()) {
    const uint32_t value = pending_.back();
    pending_.pop_back();
    for (uint32_t number : users_->UsersOf(value)) {
      const ir::Instruction& user = function_->instructions[number];
      if (is_pointer_[value]) {
        FollowPointer(user);
        continue;
      }
      const absl::Span<const ir::Operand> operands = function_->OperandsOf(user);
      for (uint32_t i = 0; i < operands.size(); ++i) {
        if (operands[i] == ir::Operand::Value(value)) FollowLabel(user, i);
      }
    }
  }
}

void Labels::AddValue(uint32_t value) {
  if (holds_[value]) return;
  holds_[value] = true;
  pending_.push_back(value);
}

void Labels::AddPointer(uint32_t pointer) {
  if (is_pointer_[pointer]) return;
  is_pointer_[pointer] = true;
  pending_.push_back(pointer);
}

void Labels::FollowLabel(const ir::Instruction& user, uint32_t operand) {
  switch (user.opcode) {
    case Opcode::kIndirectBr:
    case Opcode::kICmp:
      return;
    case Opcode::kPhi:
    case Opcode::kSelect:
      return AddValue(user.value);
    case Opcode::kStore:
      return operand == 1 ? FollowStore(user) : Escape();
    default:
      return Escape();
  }
}

void Labels::FollowStore(const ir::Instruction& store) {
  const ir::Instruction* const variable = function_->DefinitionOf(function_->OperandOf(store, 0));
  if (variable == nullptr || variable->opcode != Opcode::kAlloca ||
      !IsOnlyAccessed(*function_, *variable, *users_)) {
    return Escape();
  }
  // The variable itself is not followed, because it is only accessed.
  if (holds_[variable->value]) return;
  holds_[variable->value] = true;
  for (uint32_t number : users_->UsersOf(variable->value)) {
    const ir::Instruction& load = function_->instructions[number];
    if (load.opcode == Opcode::kLoad) AddValue(load.value);
  }
}

void Labels::FollowPointer(const ir::Instruction& user) {
  if (user.opcode == Opcode::kLoad) {
    AddValue(user.value);
  } else if (user.opcode == Opcode::kGetElementPtr) {
    AddPointer(user.value);
  } else {
    Escape();
  }
}

uint32_t CountIndirectTargets(const ir::Function& function) {
  std::vector<bool> is_target;
  uint32_t count = 0;
  for (const ir::Block& block : function.blocks) {
    if (function.TerminatorOf(block).opcode != Opcode::kIndirectBr) continue;
    is_target.resize(function.blocks.size());
    for (uint32_t target : function.SuccessorsOf(block)) {
      if (is_target[target]) continue;
      is_target[target] = true;
      ++count;
    }
  }
  return count;
}

}  // namespace firstcall::direct
