// Which of the variables in a function's frame are of any use at a place in it.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_
#define FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "splitter/block_graph.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
}  // namespace llvm

namespace firstcall {

// A variable that is only read and written lives where something that it holds may be read before
// it is written. Any other lives where its lifetime markers allow it, which is everywhere if there
// are none, or if memory may hold its address; values that hold it are the caller's to look for.
// (llvm::StackLifetime tells the same of those, in twenty times the time.)
class VariableLiveness {
 public:
  // `variables` and `points` are of the function that `graph` is of; lifetime markers are the
  // variables' users themselves. Takes time in proportion to the variables' uses and to the blocks
  // they live in; of those, no more than a multiple of the function's, and variables that would
  // take more count as living.
  VariableLiveness(const BlockGraph& graph, llvm::ArrayRef<llvm::AllocaInst*> variables,
                   llvm::ArrayRef<llvm::BasicBlock*> points);

  // By their places in `variables` and in `points`: at the beginning of the block.
  bool IsLive(size_t variable, size_t point) const {
    return live_[point].test(static_cast<unsigned>(variable));
  }

 private:
  std::vector<llvm::BitVector> live_;  // Of each point.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_
