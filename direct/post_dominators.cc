#include "direct/post_dominators.h"

#include <algorithm>

#include "absl/types/span.h"

namespace firstcall::direct {
namespace {

uint32_t LastOf(uint64_t blocks) { return 63 - static_cast<uint32_t>(__builtin_clzll(blocks)); }
uint32_t FirstOf(uint64_t blocks) { return static_cast<uint32_t>(__builtin_ctzll(blocks)); }

}  // namespace

PostDominators::PostDominators(const ir::Function& function) : count_(function.blocks.size()) {
  for (uint32_t block = 0; block < count_; ++block) {
    for (uint32_t successor : function.SuccessorsOf(function.blocks[block])) {
      successors_[block] |= Only(successor);
      predecessors_[successor] |= Only(block);
    }
  }
  FindEnds();
  Compute();
}

void PostDominators::ReachBackward(uint32_t block, Blocks& reached) const {
  Blocks pending = Only(block);
  while (pending != 0) {
    const uint32_t next = FirstOf(pending);
    reached |= Only(next);
    pending = (pending | predecessors_[next]) & ~reached;
  }
}

// A depth-first search.
uint32_t PostDominators::FurthestFrom(uint32_t block, Blocks reached) const {
  std::array<uint32_t, kMostBlocks> path;
  size_t length = 0;
  path[length++] = block;
  reached |= Only(block);
  uint32_t furthest = block;
  while (length > 0) {
    const Blocks next = successors_[path[length - 1]] & ~reached;
    if (next == 0) {
      --length;
      continue;
    }
    furthest = LastOf(next);
    reached |= Only(furthest);
    path[length++] = furthest;
  }
  return furthest;
}

PostDominators::Blocks PostDominators::ReachableFrom(uint32_t block) const {
  Blocks reached = 0;
  Blocks pending = Only(block);
  while (pending != 0) {
    const uint32_t next = FirstOf(pending);
    reached |= Only(next);
    pending = (pending | successors_[next]) & ~reached;
  }
  return reached;
}

void PostDominators::FindEnds() {
  Blocks reached = 0;
  for (uint32_t block = 0; block < count_; ++block) {
    if (successors_[block] != 0) continue;
    ends_[end_count_++] = block;
    ReachBackward(block, reached);
  }
  const size_t real_ends = end_count_;
  for (uint32_t block = 0; block < count_; ++block) {
    if ((reached & Only(block)) != 0) continue;
    ends_[end_count_] = FurthestFrom(block, reached);
    ReachBackward(ends_[end_count_++], reached);
  }
  if (end_count_ > real_ends) RemoveRedundantEnds();
}

// From an end in a loop, another end may be reached. Then the latter alone is enough.
void PostDominators::RemoveRedundantEnds() {
  Blocks ends = 0;
  for (size_t i = 0; i < end_count_; ++i) ends |= Only(ends_[i]);
  for (size_t i = 0; i < end_count_;) {
    const uint32_t end = ends_[i];
    if (successors_[end] == 0 || (ReachableFrom(end) & ends & ~Only(end)) == 0) {
      ++i;
      continue;
    }
    ends &= ~Only(end);
    ends_[i] = ends_[--end_count_];
  }
}

void PostDominators::Compute() {
  const Blocks all = count_ == kMostBlocks ? ~Blocks{0} : Only(static_cast<uint32_t>(count_)) - 1;
  of_.fill(all);
  for (size_t i = 0; i < end_count_; ++i) of_[ends_[i]] = Only(ends_[i]);
  Blocks ends = 0;
  for (size_t i = 0; i < end_count_; ++i) ends |= Only(ends_[i]);
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (uint32_t block = static_cast<uint32_t>(count_); block-- > 0;) {
      if ((ends & Only(block)) != 0) continue;
      Blocks common = all;
      for (Blocks left = successors_[block]; left != 0; left &= left - 1) {
        common &= of_[FirstOf(left)];
      }
      common |= Only(block);
      has_changed |= common != of_[block];
      of_[block] = common;
    }
  }
}

uint32_t PostDominators::Of(uint32_t block) const {
  const Blocks behind = of_[block] & ~Only(block);
  for (Blocks left = behind; left != 0; left &= left - 1) {
    if (of_[FirstOf(left)] == behind) return FirstOf(left);
  }
  return ir::kNone;
}

}  // namespace firstcall::direct
