// Dominators are found by the algorithm of Lengauer and Tarjan, "A Fast Algorithm for Finding
// Dominators in a Flowgraph" (1979), in its simple version: with path compression, without balanced
// trees. It takes O(edges * log(blocks)) for any graph.

#include "ir/control_flow.h"

#include <algorithm>

namespace firstcall::ir {
namespace {

constexpr uint32_t kNotFound = kNone - 1;

}  // namespace

void ControlFlow::FindPredecessors() {
  const auto blocks = static_cast<uint32_t>(function_->blocks.size());
  // Counts, two places ahead; then sums up, so that the part of a block begins where the next
  // place says; then moves that place while the part is filled.
  first_predecessor_.assign(blocks + 2, 0);
  successors_.resize(blocks);
  for (uint32_t number = 0; number < blocks; ++number) {
    const absl::Span<const uint32_t> targets = function_->SuccessorsOf(function_->blocks[number]);
    successors_[number] = {targets.data(), targets.data() + targets.size()};
    for (uint32_t target : targets) ++first_predecessor_[target + 2];
  }
  uint32_t edges = 0;
  for (uint32_t& first : first_predecessor_) first = edges += first;
  predecessors_.resize(edges);
  for (uint32_t number = 0; number < blocks; ++number) {
    const Successors& successors = successors_[number];
    for (const uint32_t* target = successors.begin; target != successors.end; ++target) {
      predecessors_[first_predecessor_[*target + 1]++] = number;
    }
  }
  has_predecessors_ = true;
}

void ControlFlow::BuildTree() {
  if (!has_predecessors_) FindPredecessors();
  Search();
  FindDominators();
  PlaceAll();
  only_entry_.clear();
  has_tree_ = true;
}

inline void ControlFlow::AddNode(uint32_t block, uint32_t parent) {
  const uint32_t number = node_count_++;
  node_of_[block] = number;
  nodes_[number] = {block, parent, number, number, kNone, parent, kNone, kNone};
  path_[path_length_++] = {number, successors_[block]};
}

void ControlFlow::Search() {
  const size_t most = function_->blocks.size();
  node_of_.assign(most, kNone);
  if (nodes_.size() < most) {
    nodes_.resize(most);
    path_.resize(most);
  }
  node_count_ = path_length_ = 0;
  AddNode(0, kNone);
  while (path_length_ != 0) {
    Visit& visit = path_[path_length_ - 1];
    const uint32_t* successor = visit.left.begin;
    while (successor != visit.left.end && node_of_[*successor] != kNone) ++successor;
    if (successor == visit.left.end) {
      --path_length_;
    } else {
      visit.left.begin = successor + 1;
      AddNode(*successor, visit.node);
    }
  }
}

// In the end, each node's `dominator` is its immediate dominator.
void ControlFlow::FindDominators() {
  for (uint32_t node = node_count_; node-- > 1;) {
    Node& own = nodes_[node];
    const uint32_t parent = own.parent;
    // The parent is the only predecessor of most nodes.
    if (PredecessorsOf(own.block).size() == 1) {
      own.semi = parent;
    } else {
      FindSemidominator(node);
      own.next_in_bucket = nodes_[own.semi].bucket;
      nodes_[own.semi].bucket = node;
    }
    own.ancestor = parent;
    EmptyBucket(parent);
  }
  for (uint32_t node = 1; node < node_count_; ++node) {
    Node& own = nodes_[node];
    if (own.dominator != own.semi) own.dominator = nodes_[own.dominator].dominator;
  }
}

void ControlFlow::FindSemidominator(uint32_t node) {
  uint32_t least = nodes_[node].semi;
  for (uint32_t block : PredecessorsOf(nodes_[node].block)) {
    const uint32_t predecessor = node_of_[block];
    if (predecessor == kNone) continue;
    least = std::min(least, nodes_[Evaluate(predecessor)].semi);
  }
  nodes_[node].semi = least;
}

// The dominator of a node is its semidominator, or that of a node which dominates it.
void ControlFlow::EmptyBucket(uint32_t node) {
  uint32_t in_bucket = nodes_[node].bucket;
  nodes_[node].bucket = kNone;
  while (in_bucket != kNone) {
    Node& own = nodes_[in_bucket];
    const uint32_t least = Evaluate(in_bucket);
    own.dominator = nodes_[least].semi < own.semi ? least : node;
    in_bucket = own.next_in_bucket;
  }
}

uint32_t ControlFlow::Evaluate(uint32_t node) {
  const uint32_t ancestor = nodes_[node].ancestor;
  if (ancestor == kNone) return node;
  if (nodes_[ancestor].ancestor != kNone) Compress(node);
  return nodes_[node].label;
}

// Makes the root of the tree in the forest the ancestor of all nodes on the way to it.
void ControlFlow::Compress(uint32_t node) {
  way_.clear();
  for (; nodes_[nodes_[node].ancestor].ancestor != kNone; node = nodes_[node].ancestor) {
    way_.push_back(node);
  }
  // From the root on.
  while (!way_.empty()) {
    Node& own = nodes_[way_.back()];
    way_.pop_back();
    const Node& above = nodes_[own.ancestor];
    if (nodes_[above.label].semi < nodes_[own.label].semi) own.label = above.label;
    own.ancestor = above.ancestor;
  }
}

// A dominator has a smaller number than what it dominates.
void ControlFlow::PlaceAll() {
  std::vector<uint32_t>& sizes = way_;  // Of the trees below each node.
  sizes.assign(node_count_, 1);
  for (uint32_t node = node_count_; node-- > 1;) sizes[nodes_[node].dominator] += sizes[node];
  places_.assign(function_->blocks.size(), Place());
  places_[0] = {0, sizes[0]};
  // From now on the first place that is left in the tree below each node.
  std::vector<uint32_t>& next = sizes;
  next[0] = 1;
  for (uint32_t node = 1; node < node_count_; ++node) {
    const uint32_t size = sizes[node];
    uint32_t& begin = next[nodes_[node].dominator];
    places_[nodes_[node].block] = {begin, begin + size};
    next[node] = begin + 1;
    begin += size;
  }
}

uint32_t ControlFlow::OnlyEntryTo(uint32_t block) {
  if (only_entry_.empty()) only_entry_.assign(function_->blocks.size(), kNotFound);
  uint32_t& entry = only_entry_[block];
  if (entry != kNotFound) return entry;
  uint32_t found = kNotFound;
  for (uint32_t predecessor : PredecessorsOf(block)) {
    if (!IsReachable(predecessor) || Dominates(block, predecessor)) continue;
    found = found == kNotFound ? predecessor : kNone;
  }
  return entry = found == kNotFound ? kNone : found;
}

}  // namespace firstcall::ir
