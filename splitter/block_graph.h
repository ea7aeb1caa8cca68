// The blocks of a function by number, and the ways between them, without those that a constant
// condition rules out (unoptimized code has many): for analyses that go over them many times.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_BLOCK_GRAPH_H_
#define FIRSTCALL_SPLITTER_BLOCK_GRAPH_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class BasicBlock;
class Function;
}  // namespace llvm

namespace firstcall {

class BlockGraph {
 public:
  // `function` must be materialized, and keep its blocks as long as they are asked for.
  explicit BlockGraph(const llvm::Function& function);

  size_t size() const { return numbers_.size(); }
  // In the order of the function.
  unsigned Number(const llvm::BasicBlock& block) const { return numbers_.lookup(&block); }

  // A way that there is more than once may be listed more than once.
  llvm::ArrayRef<unsigned> Successors(unsigned block) const { return successors_.Of(block); }
  llvm::ArrayRef<unsigned> Predecessors(unsigned block) const { return predecessors_.Of(block); }

 private:
  struct Lists {
    llvm::ArrayRef<unsigned> Of(unsigned block) const {
      return llvm::ArrayRef(all).slice(first[block], first[block + 1] - first[block]);
    }

    std::vector<unsigned> all;
    std::vector<unsigned> first;  // Of each block, and the end.
  };

  llvm::DenseMap<const llvm::BasicBlock*, unsigned> numbers_;
  Lists successors_, predecessors_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BLOCK_GRAPH_H_
