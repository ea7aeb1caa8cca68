// The blocks of a function by number, and the edges between them, for analyses that visit them many
// times. Edges that a constant condition rules out are omitted (unoptimized code has many).
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_OSR_BLOCK_GRAPH_H_
#define FIRSTCALL_SPLITTER_OSR_BLOCK_GRAPH_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace firstcall {

// The only successor of `block` that its constant condition allows, or null if there is no such
// condition.
const llvm::BasicBlock* OnlySuccessor(const llvm::BasicBlock& block);

class BlockGraph {
 public:
  // `function` must be materialized, and keep its blocks as long as this object is used.
  explicit BlockGraph(llvm::Function& function);

  size_t size() const { return blocks_.size(); }
  // Blocks are numbered in the order of the function.
  llvm::BasicBlock& block(unsigned number) const { return *blocks_[number]; }
  unsigned Number(const llvm::BasicBlock& block) const { return numbers_.lookup(&block); }

  // If there are several edges between two blocks, the block may be listed several times.
  llvm::ArrayRef<unsigned> Successors(unsigned block) const { return successors_.Of(block); }
  llvm::ArrayRef<unsigned> Predecessors(unsigned block) const { return predecessors_.Of(block); }

 private:
  struct Lists {
    llvm::ArrayRef<unsigned> Of(unsigned block) const {
      return llvm::ArrayRef(all).slice(first[block], first[block + 1] - first[block]);
    }

    std::vector<unsigned> all;
    std::vector<unsigned> first;  // Where each block's list begins, and the end of the last list.
  };

  std::vector<llvm::BasicBlock*> blocks_;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers_;
  Lists successors_, predecessors_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_BLOCK_GRAPH_H_
