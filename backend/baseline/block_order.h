// The order in which a function's blocks are laid out and compiled: a reverse post-order in which
// each loop is contiguous, so that a value's life is one interval of blocks.
//
// Loops are found by the depth-first search of Wei, Mao, Zou and Chen, "A New Algorithm for
// Identifying Loops in Decompilation" (SAS 2007). If a loop of the function has several entries
// (has_irreducible_loop()), the order is plain reverse post-order and loops() is empty.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_BACKEND_BASELINE_BLOCK_ORDER_H_
#define FIRSTCALL_BACKEND_BASELINE_BLOCK_ORDER_H_

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace firstcall::baseline {

inline constexpr uint32_t kNone = UINT32_MAX;

struct Loop {
  uint32_t parent = kNone;
  uint32_t first_block = 0;  // The header.
  uint32_t last_block = 0;
};

struct OrderedBlock {
  uint32_t block = kNone;     // The number of the block in the function.
  uint32_t loop = kNone;      // The innermost loop that contains the block.
  uint32_t depth = 0;         // Number of loops that contain the block.
  uint32_t predecessors = 0;  // Edges from reachable blocks.
};

class BlockOrder {
 public:
  void Compute(const ir::Function& function);

  // The reachable blocks, in order.
  const std::vector<OrderedBlock>& blocks() const { return blocks_; }
  const std::vector<Loop>& loops() const { return loops_; }
  bool has_irreducible_loop() const { return is_irreducible_; }

  // Whether blocks()[number] is the header of a loop that contains no other loop.
  bool IsInnermostHeader(uint32_t number) const {
    const uint32_t loop = blocks_[number].loop;
    if (loop == kNone || loops_[loop].first_block != number) return false;
    // A loop comes directly before those that it contains.
    return loop + 1 == loops_.size() || loops_[loop + 1].parent != loop;
  }

  // The index of `block` in blocks(); kNone if it is unreachable.
  uint32_t NumberOf(uint32_t block) const {
    const uint32_t node = node_of_[block];
    return node == kNone ? kNone : nodes_[node].position;
  }

 private:
  struct Node {
    uint32_t block;
    uint32_t header = kNone;     // Header of the innermost loop around the node, not its own.
    uint32_t path_position = 0;  // At least 1 while the node is on the path of the search.
    bool is_header = false;
    uint32_t position = kNone;  // Index in blocks_.
    uint32_t predecessors = 0;
    uint32_t first_child = kNone, next_sibling = kNone;  // The tree of loops.
  };
  struct Visit {
    uint32_t node;
    unsigned successor;
    unsigned successor_count;
  };

  uint32_t AddNode(uint32_t block);
  void Search();
  void SeenAgain(uint32_t from, uint32_t to);
  void TagHeader(uint32_t node, uint32_t header);
  void PlaceInReversePostOrder();
  void PlaceLoops();
  void Place(uint32_t node, uint32_t loop, uint32_t depth);

  const ir::Function* function_ = nullptr;
  std::vector<uint32_t> node_of_;  // For each block of the function; kNone: not reached.
  std::vector<Node> nodes_;
  std::vector<Visit> path_;
  std::vector<uint32_t> post_order_;
  std::vector<OrderedBlock> blocks_;
  std::vector<Loop> loops_;
  bool is_irreducible_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_BLOCK_ORDER_H_
