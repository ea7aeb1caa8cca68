// Dominators are found by SEMI-NCA: Georgiadis, "Linear-Time Algorithms for Dominators and Related
// Problems" (2005), chapter 2.

#include "splitter/osr/block_search.h"

#include <algorithm>
#include <climits>
#include <iterator>
#include <numeric>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

constexpr unsigned kNone = UINT_MAX;

}  // namespace

bool HasLoop(const llvm::Function& function) {
  if (std::next(function.begin()) == function.end()) return false;  // It has no predecessors.
  struct Visit {
    const llvm::BasicBlock* block;
    unsigned next;  // The number of successors that have been looked at.
    unsigned end;
  };
  llvm::SmallDenseMap<const llvm::BasicBlock*, bool, 64> is_on_path;  // Of those seen.
  llvm::SmallVector<Visit, 32> path;
  const auto enter = [&](const llvm::BasicBlock& block) {
    path.push_back({&block, 0, block.getTerminator()->getNumSuccessors()});
  };
  is_on_path[&function.getEntryBlock()] = true;
  enter(function.getEntryBlock());
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next == visit.end) {
      is_on_path[visit.block] = false;
      path.pop_back();
      continue;
    }
    const llvm::BasicBlock* next = OnlySuccessor(*visit.block);
    if (next != nullptr) {
      visit.next = visit.end;
    } else {
      next = visit.block->getTerminator()->getSuccessor(visit.next++);
    }
    const auto [found, is_new] = is_on_path.try_emplace(next, true);
    if (is_new) {
      enter(*next);
    } else if (found->second) {
      return true;
    }
  }
  return false;
}

BlockSearch::BlockSearch(const BlockGraph& graph) : graph_(graph), preorder_(graph.size(), kNone) {
  enum class State : unsigned char { kNew, kOnPath, kHeader, kDone };
  struct Visit {
    unsigned block;
    unsigned next;  // The number of successors that have been looked at.
  };
  std::vector<State> states(graph.size(), State::kNew);
  std::vector<Visit> path;
  const auto enter = [&](unsigned block, unsigned parent) {
    states[block] = State::kOnPath;
    preorder_[block] = static_cast<unsigned>(blocks_.size());
    blocks_.push_back(block);
    parents_.push_back(parent);
    path.push_back({block, 0});
  };
  enter(0, 0);
  while (!path.empty()) {
    Visit& visit = path.back();
    const llvm::ArrayRef<unsigned> successors = graph.Successors(visit.block);
    if (visit.next == successors.size()) {
      states[visit.block] = State::kDone;
      path.pop_back();
      continue;
    }
    const unsigned next = successors[visit.next++];
    if (states[next] == State::kOnPath) {
      states[next] = State::kHeader;
      loop_headers_.push_back(next);
    } else if (states[next] == State::kNew) {
      enter(next, preorder_[visit.block]);
    }
  }
}

// The least semidominator on the way from `number` up to the first ancestor before `linked`,
// without that ancestor. Blocks from `linked` on have theirs.
unsigned BlockSearch::LeastSemidominator(unsigned number, unsigned linked) {
  unsigned top = number;
  while (parents_[top] >= linked) {
    compressed_.push_back(top);
    top = parents_[top];
  }
  // From the top down, each number on the way gets the least of all above it.
  while (!compressed_.empty()) {
    const unsigned below = compressed_.back();
    compressed_.pop_back();
    least_[below] = std::min(least_[below], least_[top]);
    parents_[below] = parents_[top];
    top = below;
  }
  return least_[number];
}

void BlockSearch::ComputeDominators() {
  const auto count = static_cast<unsigned>(blocks_.size());
  immediate_ = parents_;
  semidominators_ = parents_;
  least_.resize(count);
  std::iota(least_.begin(), least_.end(), 0);
  for (unsigned number = count; number-- > 1;) {
    unsigned& semidominator = semidominators_[number];
    for (const unsigned predecessor : graph_.Predecessors(blocks_[number])) {
      if (preorder_[predecessor] == kNone) continue;
      semidominator =
          std::min(semidominator, LeastSemidominator(preorder_[predecessor], number + 1));
    }
    least_[number] = semidominator;
  }
  for (unsigned number = 1; number < count; ++number) {
    unsigned& dominator = immediate_[number];
    while (dominator > semidominators_[number]) dominator = immediate_[dominator];
  }
}

std::vector<unsigned> BlockSearch::Dominators(unsigned block) {
  if (immediate_.empty()) ComputeDominators();
  std::vector<unsigned> dominators;
  for (unsigned number = preorder_[block]; number != 0;) {
    number = immediate_[number];
    dominators.push_back(blocks_[number]);
  }
  std::sort(dominators.begin(), dominators.end());
  return dominators;
}

}  // namespace firstcall
