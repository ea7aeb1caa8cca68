#include "backend/baseline/block_order.h"

namespace firstcall::baseline {

void BlockOrder::Compute(const ir::Function& function) {
  function_ = &function;
  node_of_.assign(function.blocks.size(), kNone);
  nodes_.clear();
  path_.clear();
  post_order_.clear();
  blocks_.clear();
  loops_.clear();
  is_irreducible_ = false;
  Search();
  if (is_irreducible_) {
    PlaceInReversePostOrder();
  } else {
    PlaceLoops();
  }
}

uint32_t BlockOrder::AddNode(uint32_t block) {
  const uint32_t number = nodes_.size();
  nodes_.emplace_back();
  nodes_.back().block = block;
  node_of_[block] = number;
  const ir::Instruction& terminator = function_->TerminatorOf(function_->blocks[block]);
  path_.push_back({number, 0, terminator.target_count});
  nodes_.back().path_position = path_.size();
  return number;
}

void BlockOrder::Search() {
  AddNode(0);
  while (!path_.empty()) {
    Visit& visit = path_.back();
    const uint32_t from = visit.node;
    if (visit.successor < visit.successor_count) {
      const ir::Block& block = function_->blocks[nodes_[from].block];
      const uint32_t successor = function_->SuccessorsOf(block)[visit.successor++];
      uint32_t to = node_of_[successor];
      if (to == kNone) {
        to = AddNode(successor);
      } else {
        SeenAgain(from, to);
      }
      ++nodes_[to].predecessors;
      continue;
    }
    path_.pop_back();
    nodes_[from].path_position = 0;
    post_order_.push_back(from);
    if (!path_.empty()) TagHeader(path_.back().node, nodes_[from].header);
  }
}

void BlockOrder::SeenAgain(uint32_t from, uint32_t to) {
  if (nodes_[to].path_position > 0) {
    nodes_[to].is_header = true;
    TagHeader(from, to);
    return;
  }
  uint32_t header = nodes_[to].header;
  if (header == kNone) return;
  if (nodes_[header].path_position > 0) {
    TagHeader(from, header);
  } else {
    is_irreducible_ = true;  // The loop of `header` is entered other than through it.
  }
}

// `node` is in the loop of `header`: weaves that into its chain of headers, the innermost first.
void BlockOrder::TagHeader(uint32_t node, uint32_t header) {
  if (node == header || header == kNone) return;
  while (nodes_[node].header != kNone) {
    const uint32_t other = nodes_[node].header;
    if (other == header) return;
    if (nodes_[other].path_position < nodes_[header].path_position) {
      nodes_[node].header = header;
      node = header;
      header = other;
    } else {
      node = other;
    }
    if (node == header) return;
  }
  nodes_[node].header = header;
}

void BlockOrder::Place(uint32_t node, uint32_t loop, uint32_t depth) {
  nodes_[node].position = blocks_.size();
  blocks_.push_back({nodes_[node].block, loop, depth, nodes_[node].predecessors});
}

void BlockOrder::PlaceInReversePostOrder() {
  for (size_t i = post_order_.size(); i-- > 0;) Place(post_order_[i], kNone, 0);
}

void BlockOrder::PlaceLoops() {
  // Children in reverse post-order: the first to finish is prepended first.
  uint32_t roots = kNone;
  for (uint32_t node : post_order_) {
    uint32_t& list = nodes_[node].header == kNone ? roots : nodes_[nodes_[node].header].first_child;
    nodes_[node].next_sibling = list;
    list = node;
  }
  // Walks the tree in pre-order; `loop` is the innermost of which the children are being placed.
  uint32_t loop = kNone, depth = 0;
  std::vector<Visit>& resume = path_;
  for (uint32_t node = roots;;) {
    if (node == kNone) {
      if (loop == kNone) break;
      loops_[loop].last_block = blocks_.size() - 1;
      loop = loops_[loop].parent;
      --depth;
      node = resume.back().node;
      resume.pop_back();
      continue;
    }
    if (!nodes_[node].is_header) {
      Place(node, loop, depth);
      node = nodes_[node].next_sibling;
      continue;
    }
    const uint32_t inner = loops_.size();
    loops_.push_back({loop, static_cast<uint32_t>(blocks_.size()), 0});
    resume.push_back({nodes_[node].next_sibling, 0, 0});
    loop = inner;
    Place(node, loop, ++depth);
    node = nodes_[node].first_child;
  }
}

}  // namespace firstcall::baseline
