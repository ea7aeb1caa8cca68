// The order in which a function's blocks are laid out and compiled: reverse post-order in which
// each loop is in one piece, so that what a value's life has to cover is one interval of blocks.
//
// Loops are found by the depth-first search of Wei, Mao, Zou and Chen, "A New Algorithm for
// Identifying Loops in Decompilation" (SAS 2007). In a function with a loop that has several
// entries the order is plain reverse post-order, and no loops are told: has_irreducible_loop().
//
// Thread-compatible; kept from function to function for its memory.

#ifndef FIRSTCALL_BASELINE_BLOCK_ORDER_H_
#define FIRSTCALL_BASELINE_BLOCK_ORDER_H_

#include <cstdint>
#include <vector>

#include "baseline/pointer_map.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"

namespace firstcall::baseline {

inline constexpr uint32_t kNone = UINT32_MAX;

struct Loop {
  uint32_t parent = kNone;
  uint32_t first_block = 0;  // The header.
  uint32_t last_block = 0;
};

struct OrderedBlock {
  const llvm::BasicBlock* block = nullptr;
  uint32_t loop = kNone;      // The innermost.
  uint32_t depth = 0;         // Number of loops around it.
  uint32_t predecessors = 0;  // Edges from reachable blocks.
};

class BlockOrder {
 public:
  void Compute(const llvm::Function& function);

  // Reachable blocks only.
  const std::vector<OrderedBlock>& blocks() const { return blocks_; }
  const std::vector<Loop>& loops() const { return loops_; }
  bool has_irreducible_loop() const { return is_irreducible_; }

  // The place of `block` in the order; kNone if it cannot be reached.
  uint32_t NumberOf(const llvm::BasicBlock* block) const {
    const uint32_t node = node_of_.Find(block);
    return node == PointerMap::kMissing ? kNone : nodes_[node].position;
  }

 private:
  struct Node {
    const llvm::BasicBlock* block;
    uint32_t header = kNone;     // Of the innermost loop it is in, other than its own.
    uint32_t path_position = 0;  // 1 and above while it is on the path of the search.
    bool is_header = false;
    uint32_t position = kNone;  // In blocks_.
    uint32_t predecessors = 0;
    uint32_t first_child = kNone, next_sibling = kNone;  // Of the tree of loops.
  };
  struct Visit {
    uint32_t node;
    unsigned successor;
    unsigned successor_count;
  };

  uint32_t AddNode(const llvm::BasicBlock* block);
  void Search(const llvm::Function& function);
  void SeenAgain(uint32_t from, uint32_t to);
  void TagHeader(uint32_t node, uint32_t header);
  void PlaceInReversePostOrder();
  void PlaceLoops();
  void Place(uint32_t node, uint32_t loop, uint32_t depth);

  PointerMap node_of_;
  std::vector<Node> nodes_;
  std::vector<Visit> path_;
  std::vector<uint32_t> post_order_;
  std::vector<OrderedBlock> blocks_;
  std::vector<Loop> loops_;
  bool is_irreducible_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_BLOCK_ORDER_H_
