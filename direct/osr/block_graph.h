// The edges between a function's blocks, for the search for loops and the analyses around it. Edges
// that a constant condition rules out are omitted (unoptimized code has many).
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_BLOCK_GRAPH_H_
#define FIRSTCALL_DIRECT_OSR_BLOCK_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "ir/function.h"

namespace firstcall::direct {

class BlockGraph {
 public:
  // Forgets the former function. `function` must not change while the graph is used.
  void Build(const ir::Function& function);

  uint32_t size() const { return static_cast<uint32_t>(successors_.size()); }
  // Whether a block has an edge to itself or to a block with a lower number. Without such an edge,
  // the function has no loop.
  bool has_backward_edge() const { return has_backward_edge_; }

  // If there are several edges between two blocks, the block is listed several times. Successors
  // are in the order of the terminator's targets.
  absl::Span<const uint32_t> Successors(uint32_t block) const {
    return {targets_ + successors_[block].first, successors_[block].count};
  }
  // Computed when they are first asked for.
  absl::Span<const uint32_t> Predecessors(uint32_t block) {
    if (!has_predecessors_) FindPredecessors();
    const uint32_t first = first_predecessor_[block];
    return {predecessors_.data() + first, first_predecessor_[block + 1] - first};
  }

 private:
  // A part of the function's targets.
  struct Part {
    uint32_t first, count;
  };

  void FindPredecessors();

  const uint32_t* targets_ = nullptr;
  bool has_backward_edge_ = false;
  bool has_predecessors_ = false;
  std::vector<Part> successors_;             // By block.
  std::vector<uint32_t> first_predecessor_;  // By block, and the end of the last list.
  std::vector<uint32_t> predecessors_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_BLOCK_GRAPH_H_
