// A depth-first search of a function's blocks: where its loops begin, and which blocks every path
// to a block goes through.
//
// The search must visit blocks in the same order as splitter/osr/block_search does for the same
// function: loops are known by their numbers to the code that replaces the function's first body.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_BLOCK_SEARCH_H_
#define FIRSTCALL_DIRECT_OSR_BLOCK_SEARCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "direct/osr/block_graph.h"

namespace firstcall::direct {

class BlockSearch {
 public:
  // Forgets the former graph. `graph` must not change while this object is asked.
  void Run(BlockGraph& graph);

  // The targets of the search's back edges, each once, in the order in which they were found.
  const std::vector<uint32_t>& loop_headers() const { return loop_headers_; }

  // The blocks that every path from the function's entry to `block` goes through, without `block`
  // itself, in the order of the function. `block` must be reachable, and the function must have a
  // loop. Valid until the next call. The first call takes time in proportion to the edges, or a
  // little more.
  absl::Span<const uint32_t> Dominators(uint32_t block);

 private:
  enum class State : uint8_t { kNew, kOnPath, kHeader, kDone };
  struct Visit {
    uint32_t block;
    const uint32_t* next;  // The first successor that has not been looked at.
    const uint32_t* end;
  };

  void Enter(uint32_t block, uint32_t parent);
  void ComputeDominators();
  uint32_t LeastSemidominator(uint32_t number, uint32_t linked);

  BlockGraph* graph_ = nullptr;
  std::vector<uint32_t> loop_headers_;
  std::vector<State> states_;  // By block.
  std::vector<Visit> path_;
  // Reachable blocks are numbered in the preorder of the depth-first search.
  std::vector<uint32_t> blocks_;    // By number.
  std::vector<uint32_t> preorder_;  // By block: the number, if the block is reachable.
  // By number: the number of the block from which the search came. Path compression changes it.
  std::vector<uint32_t> parents_;
  // The same for dominators, which are computed when they are first needed.
  bool has_dominators_ = false;
  std::vector<uint32_t> immediate_, semidominators_, least_;
  std::vector<uint32_t> compressed_;
  std::vector<uint32_t> dominators_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_BLOCK_SEARCH_H_
