// The steps are counted as splitter/osr/loop_entries counts them, because their limits decide which
// entries are possible.

#include "direct/osr/live_values.h"

#include <algorithm>

#include "absl/types/span.h"
#include "direct/osr/address_uses.h"
#include "direct/osr/frame_needs.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {
namespace {

using ir::Opcode;

// The most blocks that are visited for one call: this constant, plus a number for each block of the
// function.
constexpr size_t kSteps = 1000;
constexpr size_t kStepsPerBlock = 8;
// The same for all calls for a function together; here the visited instructions count, too.
constexpr size_t kAllSteps = 200'000;
constexpr size_t kAllStepsPerBlock = 20;
constexpr size_t kBlocksPerStep = 64;  // For copying a set of blocks.

}  // namespace

void LiveValues::Begin(const ir::Function& function, BlockGraph& graph, BlockSearch& search,
                       UserLists& users, bool has_debug_calls) {
  function_ = &function;
  graph_ = &graph;
  search_ = &search;
  users_ = &users;
  has_debug_calls_ = has_debug_calls;
  least_left_ = most_left_ = kAllSteps + kAllStepsPerBlock * graph.size();
}

void LiveValues::SpendOfAll(size_t steps) {
  least_left_ -= std::min(least_left_, steps);
  most_left_ -= std::min(most_left_, steps);
}

void LiveValues::SpendForInstructions(const ir::Block& block) {
  SpendOfAll(block.instruction_count);
  if (!has_debug_calls_) return;
  const size_t most = kAllSteps + kAllStepsPerBlock * graph_->size();
  for (const ir::Instruction& instruction : function_->InstructionsOf(block)) {
    if (IsDebugCall(*function_, instruction) && most_left_ < most) ++most_left_;
  }
}

LiveValues::Answer LiveValues::Find(uint32_t block) {
  if (most_left_ == 0) return Answer::kTooLong;
  if (least_left_ == 0) return Answer::kUnknown;
  steps_left_ = kSteps + kStepsPerBlock * graph_->size();
  values_.clear();
  Reach(block, ir::kNone, reached_);
  AddArguments();
  for (const uint32_t dominator : search_->Dominators(block)) {
    if (Has(reached_, dominator)) SpendOfAll(graph_->size() / kBlocksPerStep);
    SpendOfAll(1);
    if (steps_left_ == 0) return Answer::kTooLong;
    SpendForInstructions(function_->blocks[dominator]);
    AddResultsOf(dominator, block);
  }
  AddPhisOf(block);
  return steps_left_ == 0 ? Answer::kTooLong : Answer::kFound;
}

void LiveValues::AddArguments() {
  for (uint32_t argument = 0; argument < function_->argument_count(); ++argument) {
    if (IsUsed(argument, reached_)) values_.push_back(argument);
  }
}

// Adds the results of the block `dominator` that are live at `block`.
void LiveValues::AddResultsOf(uint32_t dominator, uint32_t block) {
  // If control may return to `dominator`, the set of the blocks on ways around `dominator` is
  // computed when a value needs it. Until then, a larger set mostly gives the answer.
  bool is_exact = !Has(reached_, dominator);
  if (!is_exact) {
    without_ = reached_;
    without_[dominator / 64] &= ~(uint64_t{1} << (dominator % 64));
  }
  const Blocks& before = is_exact ? reached_ : without_;
  for (const ir::Instruction& instruction :
       function_->InstructionsOf(function_->blocks[dominator])) {
    if (instruction.value == ir::kNone) continue;
    if (!IsUsed(instruction.value, before)) continue;
    if (dominator == 0 && IsStaticAlloca(*function_, instruction)) continue;
    if (!is_exact) {
      is_exact = true;
      Reach(block, dominator, without_);
      if (!IsUsed(instruction.value, before)) continue;
    }
    values_.push_back(instruction.value);
  }
}

void LiveValues::AddPhisOf(uint32_t block) {
  for (const ir::Instruction& phi : function_->InstructionsOf(function_->blocks[block])) {
    if (phi.opcode != Opcode::kPhi) break;
    if (function_->values[phi.value].uses != 0) values_.push_back(phi.value);
  }
}

// Makes `reached` the blocks that `from` reaches, including itself, on ways that do not enter
// `without`.
void LiveValues::Reach(uint32_t from, uint32_t without, Blocks& reached) {
  reached.assign((graph_->size() + 63) / 64, 0);
  const auto add = [&](uint32_t block) {
    reached[block / 64] |= uint64_t{1} << (block % 64);
    pending_.push_back(block);
  };
  size_t visited = 0;
  add(from);
  while (!pending_.empty()) {
    const uint32_t block = pending_.back();
    pending_.pop_back();
    if (visited == steps_left_) continue;
    ++visited;
    for (const uint32_t next : graph_->Successors(block)) {
      if (next != without && !Has(reached, next)) add(next);
    }
  }
  steps_left_ -= visited;
  SpendOfAll(visited);
}

// Whether `value` is used in one of `blocks`. Mostly, the first and the last user tell.
bool LiveValues::IsUsed(uint32_t value, const Blocks& blocks) {
  const ir::Value& used = function_->values[value];
  if (used.uses == 0) return false;
  const ir::Instruction& last = function_->instructions[used.last_user];
  if (IsUsedBy(last, value, blocks)) return true;
  if (used.first_user == used.last_user) return false;
  const ir::Instruction& first = function_->instructions[used.first_user];
  if (IsUsedBy(first, value, blocks)) return true;
  if (used.uses == 2) return false;
  if (first.block == last.block && first.opcode != Opcode::kPhi) return false;
  const absl::Span<const uint32_t> users = users_->UsersOf(value);
  return std::any_of(users.begin(), users.end(), [&](uint32_t user) {
    return IsUsedBy(function_->instructions[user], value, blocks);
  });
}

// A phi uses a value at the end of the incoming block.
bool LiveValues::IsUsedBy(const ir::Instruction& user, uint32_t value, const Blocks& blocks) const {
  if (user.opcode != Opcode::kPhi) return Has(blocks, user.block);
  const absl::Span<const ir::Operand> incoming = function_->OperandsOf(user);
  const absl::Span<const uint32_t> from = function_->TargetsOf(user);
  for (size_t i = 0; i < incoming.size(); ++i) {
    if (incoming[i] == ir::Operand::Value(value) && Has(blocks, from[i])) return true;
  }
  return false;
}

}  // namespace firstcall::direct
