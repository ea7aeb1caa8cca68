// Dominators are found by SEMI-NCA: Georgiadis, "Linear-Time Algorithms for Dominators and Related
// Problems" (2005), chapter 2.

#include "direct/osr/block_search.h"

#include <algorithm>
#include <numeric>

namespace firstcall::direct {

void BlockSearch::Enter(uint32_t block, uint32_t parent) {
  states_[block] = State::kOnPath;
  preorder_[block] = static_cast<uint32_t>(blocks_.size());
  blocks_.push_back(block);
  parents_.push_back(parent);
  const absl::Span<const uint32_t> successors = graph_->Successors(block);
  path_.push_back({block, successors.data(), successors.data() + successors.size()});
}

void BlockSearch::Run(BlockGraph& graph) {
  graph_ = &graph;
  has_dominators_ = false;
  loop_headers_.clear();
  if (!graph.has_backward_edge()) return;
  states_.assign(graph.size(), State::kNew);
  preorder_.resize(graph.size());
  blocks_.clear();
  parents_.clear();
  Enter(0, 0);
  while (!path_.empty()) {
    Visit& visit = path_.back();
    if (visit.next == visit.end) {
      states_[visit.block] = State::kDone;
      path_.pop_back();
      continue;
    }
    const uint32_t next = *visit.next++;
    if (states_[next] == State::kNew) {
      Enter(next, preorder_[visit.block]);
    } else if (states_[next] == State::kOnPath) {
      states_[next] = State::kHeader;
      loop_headers_.push_back(next);
    }
  }
}

// The least semidominator on the way from `number` up to the first ancestor before `linked`,
// without that ancestor. Blocks from `linked` on have theirs.
uint32_t BlockSearch::LeastSemidominator(uint32_t number, uint32_t linked) {
  uint32_t top = number;
  while (parents_[top] >= linked) {
    compressed_.push_back(top);
    top = parents_[top];
  }
  // From the top down, each number on the way gets the least of all above it.
  while (!compressed_.empty()) {
    const uint32_t below = compressed_.back();
    compressed_.pop_back();
    least_[below] = std::min(least_[below], least_[top]);
    parents_[below] = parents_[top];
    top = below;
  }
  return least_[number];
}

void BlockSearch::ComputeDominators() {
  has_dominators_ = true;
  const auto count = static_cast<uint32_t>(blocks_.size());
  immediate_ = parents_;
  semidominators_ = parents_;
  least_.resize(count);
  std::iota(least_.begin(), least_.end(), 0);
  for (uint32_t number = count; number-- > 1;) {
    uint32_t semidominator = semidominators_[number];
    for (const uint32_t predecessor : graph_->Predecessors(blocks_[number])) {
      if (states_[predecessor] == State::kNew) continue;  // Not reachable.
      semidominator =
          std::min(semidominator, LeastSemidominator(preorder_[predecessor], number + 1));
    }
    semidominators_[number] = least_[number] = semidominator;
  }
  for (uint32_t number = 1; number < count; ++number) {
    uint32_t dominator = immediate_[number];
    while (dominator > semidominators_[number]) dominator = immediate_[dominator];
    immediate_[number] = dominator;
  }
}

absl::Span<const uint32_t> BlockSearch::Dominators(uint32_t block) {
  if (!has_dominators_) ComputeDominators();
  dominators_.clear();
  for (uint32_t number = preorder_[block]; number != 0;) {
    number = immediate_[number];
    dominators_.push_back(blocks_[number]);
  }
  std::sort(dominators_.begin(), dominators_.end());
  return dominators_;
}

}  // namespace firstcall::direct
