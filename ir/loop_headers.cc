#include "ir/loop_headers.h"

#include "ir/constant.h"
#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::ir {
namespace {

// The index of the only target that the constant condition of `branch`, which has two targets,
// allows; 2 if the condition is no constant.
uint32_t OnlyTarget(const Function& function, const Instruction& branch) {
  const Constant* const condition = function.ConstantOf(function.OperandOf(branch, 0));
  if (condition == nullptr || !condition->IsInteger()) return 2;
  return condition->IsZero() ? 1 : 0;
}

}  // namespace

bool LoopHeaders::FindEdges(const Function& function) {
  bool has_backward_edge = false;
  successors_.resize(function.blocks.size());
  uint32_t number = 0;
  for (const Block& block : function.blocks) {
    const Instruction& terminator = function.TerminatorOf(block);
    absl::Span<const uint32_t> targets = function.TargetsOf(terminator);
    if (targets.size() == 2 && terminator.opcode == Opcode::kBr) {
      const uint32_t only = OnlyTarget(function, terminator);
      if (only != 2) targets = targets.subspan(only, 1);
    }
    for (uint32_t target : targets) has_backward_edge |= target <= number;
    successors_[number++] = targets;
  }
  return has_backward_edge;
}

void LoopHeaders::Enter(uint32_t block) {
  states_[block] = State::kOnPath;
  const absl::Span<const uint32_t> successors = successors_[block];
  path_.push_back({block, successors.data(), successors.data() + successors.size()});
}

absl::Span<const uint32_t> LoopHeaders::Find(const Function& function) {
  headers_.clear();
  if (!FindEdges(function)) return headers_;
  states_.assign(successors_.size(), State::kNew);
  Enter(0);
  while (!path_.empty()) {
    Visit& visit = path_.back();
    if (visit.next == visit.end) {
      states_[visit.block] = State::kDone;
      path_.pop_back();
      continue;
    }
    const uint32_t next = *visit.next++;
    if (states_[next] == State::kNew) {
      Enter(next);
    } else if (states_[next] == State::kOnPath) {
      states_[next] = State::kHeader;
      headers_.push_back(next);
    }
  }
  return headers_;
}

}  // namespace firstcall::ir
