// The answers are those of splitter/osr/labels for the same function.

#include "direct/labels.h"

#include <algorithm>

#include "absl/types/span.h"
#include "direct/address_uses.h"
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
  comparisons_.clear();
  MarkLabels();
  MarkUsers();
  FindTables();
  if (place_ != Place::kInside) return;
  MarkUsers();
  FollowConstants();
  Follow();
  if (place_ == Place::kInside && !AreSourcesKnown()) Escape();
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
  if (mark == Mark::kTable || mark == Mark::kHidesTable) return false;
  bool has_labels = false, has_table = false, is_hidden = false;
  for (ir::Operand operand : constant.operands()) {
    const Mark member = marks_[operand.number()];
    has_labels |= member == Mark::kLabels;
    has_table |= member == Mark::kTable || member == Mark::kHidesTable;
    is_hidden |= member == Mark::kHidesTable;
  }
  if (!has_labels && !has_table) return false;
  if (has_labels && has_table) FindUnknown();
  if (mark == Mark::kLabels) return false;
  if (has_labels) {
    if (constant.kind != ConstantKind::kAggregate) Escape();
    mark = Mark::kLabels;
    return true;
  }
  const bool is_pointer = !is_hidden && constant.kind == ConstantKind::kExpression &&
                          constant.opcode == Opcode::kGetElementPtr;
  mark = is_pointer ? Mark::kTable : Mark::kHidesTable;
  return true;
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
    for (ir::Operand other : {global.personality(), global.prefix_data(), global.prologue_data()}) {
      if (other.IsConstant() && marks_[other.number()] == Mark::kLabels) Escape();
    }
    if (global.initializer.IsConstant() && marks_[global.initializer.number()] == Mark::kLabels) {
      LookAtTable(global);
    }
  }
}

void Labels::LookAtTable(const ir::Global& global) {
  if (!global.IsVariable() || !global.is_constant() || !global.HasLocalLinkage()) return Escape();
  marks_[function_->module().NumberOf(global)] = Mark::kTable;
}

void Labels::FollowConstants() {
  for (const ir::Instruction& user : function_->instructions) {
    const absl::Span<const ir::Operand> operands = function_->OperandsOf(user);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (!operands[i].IsConstant()) continue;
      const Mark mark = marks_[operands[i].number()];
      if (mark == Mark::kLabels) FollowLabel(user, i);
      if (mark == Mark::kTable) FollowPointer(user);
      if (mark == Mark::kHidesTable) Escape();
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
      return;
    case Opcode::kICmp:
      return comparisons_.push_back(function_->NumberOf(user));
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

// See splitter/osr/labels.cc: other functions may read a table, too.
bool Labels::AreSourcesKnown() {
  for (uint32_t comparison : comparisons_) {
    if (!AreLabels(function_->OperandsOf(function_->instructions[comparison]))) return false;
  }
  for (const ir::Instruction& instruction : function_->instructions) {
    const absl::Span<const ir::Operand> operands = function_->OperandsOf(instruction);
    if (instruction.opcode == Opcode::kIndirectBr) {
      if (!IsLabel(operands[0])) return false;
    } else if (instruction.value == ir::kNone || !holds_[instruction.value]) {
      continue;
    } else if (instruction.opcode == Opcode::kPhi) {
      if (!AreLabels(operands)) return false;
    } else if (instruction.opcode == Opcode::kSelect) {
      if (!AreLabels(operands.subspan(1))) return false;
    } else if (instruction.opcode == Opcode::kAlloca) {
      if (!HoldsOnlyLabels(instruction)) return false;
    }
  }
  return true;
}

bool Labels::HoldsOnlyLabels(const ir::Instruction& variable) {
  const absl::Span<const uint32_t> users = users_->UsersOf(variable.value);
  return std::all_of(users.begin(), users.end(), [&](uint32_t number) {
    const ir::Instruction& user = function_->instructions[number];
    return user.opcode != Opcode::kStore || IsLabel(function_->OperandOf(user, 1));
  });
}

bool Labels::AreLabels(absl::Span<const ir::Operand> operands) const {
  return std::all_of(operands.begin(), operands.end(),
                     [&](ir::Operand operand) { return IsLabel(operand); });
}

bool Labels::IsLabel(ir::Operand operand) const {
  if (operand.IsValue()) return holds_[operand.number()];
  if (!operand.IsConstant()) return false;
  const ir::Constant& constant = function_->constant(operand);
  if (constant.kind == ConstantKind::kBlockAddress) {
    return constant.global == function_->global_number();
  }
  return constant.IsUndefined() || constant.IsZero();
}

}  // namespace firstcall::direct
