#include "direct/osr/variable_liveness.h"

#include <algorithm>

#include "absl/types/span.h"
#include "direct/osr/address_uses.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {
namespace {

// The most bits of a table of all variables at all blocks, and the most times that all blocks are
// visited. Those of splitter/osr/variable_liveness.
constexpr size_t kMostBits = size_t{1} << 25;
constexpr int kMostPasses = 32;

}  // namespace

void VariableLiveness::Run(const ir::Function& function, BlockGraph& graph, UserLists& users) {
  function_ = &function;
  is_computed_ = is_unknown_ = false;
  FindVariables();
  if (variables_.empty() || graph.size() > kMostBits / variables_.size()) return;
  LookAtUses();
  FindKinds(users);
  NoteEvents();
  const bool is_done = Find(graph) == Search::kDone;
  is_computed_ = is_done;
  // With fewer variables, LLVM's search may have been done in time.
  is_unknown_ = !is_done && HasKind(Kind::kMayHaveLifetime);
}

void VariableLiveness::FindVariables() {
  variables_.clear();
  indices_.clear();
  for (const ir::Instruction& instruction : function_->InstructionsOf(function_->blocks[0])) {
    if (!IsStaticAlloca(*function_, instruction)) continue;
    if (variables_.empty()) first_ = instruction.value;
    indices_.resize(instruction.value - first_, ir::kNone);
    indices_.push_back(static_cast<uint32_t>(variables_.size()));
    variables_.push_back(instruction.value);
  }
  kinds_.assign(variables_.size(), Kind::kAccessed);
  has_begin_.assign(variables_.size(), false);
}

void VariableLiveness::LookAtUses() {
  events_.clear();
  const ir::Operand* const operands = function_->operands.data();
  for (const ir::Instruction& user : function_->instructions) {
    for (uint32_t i = 0; i < user.operand_count; ++i) {
      const ir::Operand operand = operands[user.first_operand + i];
      if (!operand.IsValue()) continue;
      const uint32_t variable = IndexOf(operand.number());
      if (variable != ir::kNone) LookAtUse(variable, user, i);
    }
  }
}

void VariableLiveness::LookAtUse(uint32_t variable, const ir::Instruction& user, uint32_t operand) {
  const ir::Instruction& alloca =
      *function_->DefinitionOf(ir::Operand::Value(variables_[variable]));
  if (!IsAccess(*function_, alloca, user, operand)) kinds_[variable] = Kind::kEverywhere;
  switch (user.opcode) {
    case ir::Opcode::kLoad:
      events_.push_back({user.block, variable, Access::kLoad});
      return;
    case ir::Opcode::kStore:
      if (operand == 0) events_.push_back({user.block, variable, Access::kStore});
      return;
    case ir::Opcode::kCall: {
      if (!IsLifetimeMark(*function_, user)) return;
      const bool is_begin = BeginsLifetime(*function_, user);
      if (is_begin) has_begin_[variable] = true;
      events_.push_back({user.block, variable, is_begin ? Access::kBegin : Access::kEnd});
      return;
    }
    default:
      return;
  }
}

// A variable has a lifetime if markers say where its life begins, and if memory does not hold its
// address.
void VariableLiveness::FindKinds(UserLists& users) {
  for (uint32_t i = 0; i < variables_.size(); ++i) {
    if (kinds_[i] != Kind::kEverywhere || !has_begin_[i]) continue;
    const ir::Operand address = ir::Operand::Value(variables_[i]);
    switch (IsAddressStored(*function_, *function_->DefinitionOf(address), users)) {
      case Stored::kYes:
        break;
      case Stored::kNo:
        kinds_[i] = Kind::kHasLifetime;
        break;
      case Stored::kUnknown:
        kinds_[i] = Kind::kMayHaveLifetime;
        break;
    }
  }
}

void VariableLiveness::NoteEvents() {
  accessed_.Reset(1, variables_.size());
  for (uint32_t i = 0; i < variables_.size(); ++i) {
    if (kinds_[i] == Kind::kAccessed) accessed_.Set(0, i);
  }
  const size_t blocks = function_->blocks.size();
  decided_.Reset(blocks, variables_.size());
  positive_.Reset(blocks, variables_.size());
  live_.Reset(blocks, variables_.size());
  for (const Event& event : events_) {
    switch (kinds_[event.variable]) {
      case Kind::kEverywhere:
        continue;
      case Kind::kAccessed:
        if (decided_.Has(event.block, event.variable)) continue;
        if (event.access == Access::kLoad) positive_.Set(event.block, event.variable);
        break;
      case Kind::kHasLifetime:
      case Kind::kMayHaveLifetime:
        if (event.access == Access::kBegin) {
          positive_.Set(event.block, event.variable);
        } else if (event.access == Access::kEnd) {
          positive_.Clear(event.block, event.variable);
        } else {
          continue;
        }
        break;
    }
    decided_.Set(event.block, event.variable);
  }
}

bool VariableLiveness::HasKind(Kind kind) const {
  return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

VariableLiveness::Search VariableLiveness::Find(BlockGraph& graph) {
  const uint32_t blocks = graph.size();
  bool has_accessed = HasKind(Kind::kAccessed);
  bool has_others = HasKind(Kind::kHasLifetime) || HasKind(Kind::kMayHaveLifetime);
  to_accessed_.assign(blocks, has_accessed);
  to_others_.assign(blocks, has_others);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!has_accessed && !has_others) return Search::kDone;
    // Most of it needs no second pass, because most edges lead on in the function's order.
    if (has_accessed) {
      has_accessed = false;
      for (uint32_t block = blocks; block-- > 0;) {
        if (!to_accessed_[block]) continue;
        to_accessed_[block] = false;
        if (!UpdateFromSuccessors(graph, block)) continue;
        for (const uint32_t previous : graph.Predecessors(block)) {
          to_accessed_[previous] = true;
          has_accessed |= previous >= block;
        }
      }
    }
    if (has_others) {
      has_others = false;
      for (uint32_t block = 0; block < blocks; ++block) {
        if (!to_others_[block]) continue;
        to_others_[block] = false;
        if (!UpdateFromPredecessors(graph, block)) continue;
        for (const uint32_t next : graph.Successors(block)) {
          to_others_[next] = true;
          has_others |= next <= block;
        }
      }
    }
  }
  return Search::kTooLong;
}

// Of those that are only accessed: live behind the block if live at a successor. Whether more are
// live at the block than before.
bool VariableLiveness::UpdateFromSuccessors(BlockGraph& graph, uint32_t block) {
  uint64_t* const live = live_.Row(block);
  const uint64_t* const decided = decided_.Row(block);
  const uint64_t* const positive = positive_.Row(block);
  const uint64_t* const accessed = accessed_.Row(0);
  uint64_t changed = 0;
  const auto add = [&](size_t i, uint64_t more) {
    more &= accessed[i] & ~live[i];
    live[i] |= more;
    changed |= more;
  };
  for (size_t i = 0; i < live_.words(); ++i) add(i, positive[i]);
  for (const uint32_t next : graph.Successors(block)) {
    const uint64_t* const there = live_.Row(next);
    for (size_t i = 0; i < live_.words(); ++i) add(i, there[i] & ~decided[i]);
  }
  return changed != 0;
}

// The same of the others: live if live behind a predecessor.
bool VariableLiveness::UpdateFromPredecessors(BlockGraph& graph, uint32_t block) {
  uint64_t* const live = live_.Row(block);
  const uint64_t* const accessed = accessed_.Row(0);
  uint64_t changed = 0;
  for (const uint32_t previous : graph.Predecessors(block)) {
    const uint64_t* const there = live_.Row(previous);
    const uint64_t* const decided = decided_.Row(previous);
    const uint64_t* const positive = positive_.Row(previous);
    for (size_t i = 0; i < live_.words(); ++i) {
      const uint64_t behind = positive[i] | (there[i] & ~decided[i]);
      const uint64_t more = behind & ~accessed[i] & ~live[i];
      live[i] |= more;
      changed |= more;
    }
  }
  return changed != 0;
}

VariableLiveness::Answer VariableLiveness::IsLive(uint32_t variable, uint32_t block) const {
  if (is_unknown_) return Answer::kUnknown;
  const Kind kind = kinds_[variable];
  if (!is_computed_ || kind == Kind::kEverywhere || live_.Has(block, variable)) return Answer::kYes;
  return kind == Kind::kMayHaveLifetime ? Answer::kUnknown : Answer::kNo;
}

}  // namespace firstcall::direct
