// A depth-first search of a function's blocks: where its loops begin, and which blocks every path
// to a block goes through. (llvm::FindFunctionBackedges and llvm::DominatorTree, which look blocks
// up by address, take 2 % of SQLite's start, three times as much as this.)
//
// Thread-compatible.

#ifndef FIRSTCALL_SPLITTER_OSR_BLOCK_SEARCH_H_
#define FIRSTCALL_SPLITTER_OSR_BLOCK_SEARCH_H_

#include <vector>

#include "splitter/osr/block_graph.h"

namespace firstcall {

// Whether a BlockSearch of `function` would find a loop, in less time.
bool HasLoop(const llvm::Function& function);

class BlockSearch {
 public:
  // `graph` must outlive this object.
  explicit BlockSearch(const BlockGraph& graph);

  // The targets of the search's back edges, each once, in the order in which they were found.
  const std::vector<unsigned>& loop_headers() const { return loop_headers_; }

  // The blocks that every path from the function's entry to `block` goes through, without `block`
  // itself, in the order of the function. `block` must be reachable. The first call takes time
  // in proportion to the edges, or a little more.
  std::vector<unsigned> Dominators(unsigned block);

 private:
  void ComputeDominators();
  unsigned LeastSemidominator(unsigned number, unsigned linked);

  const BlockGraph& graph_;
  std::vector<unsigned> loop_headers_;
  // Reachable blocks are numbered in the preorder of the depth-first search.
  std::vector<unsigned> blocks_;    // By number.
  std::vector<unsigned> preorder_;  // The number of each block; kNone if it is not reachable.
  // By number: the number of the block from which the search came. Path compression changes it.
  std::vector<unsigned> parents_;
  // The same for dominators, which are computed when they are first needed.
  std::vector<unsigned> immediate_, semidominators_, least_;
  std::vector<unsigned> compressed_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_BLOCK_SEARCH_H_
