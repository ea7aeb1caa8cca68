// Which of the variables in a function's frame are of any use at a place in it.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_
#define FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_

#include <algorithm>
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
  // `variables` and `points`, all different, are of the function that `graph` is of; lifetime
  // markers are the variables' users themselves. Takes time in proportion to the variables' uses
  // and to the blocks they live in; of those, no more than a multiple of the function's, and
  // variables that would take more count as living.
  VariableLiveness(const BlockGraph& graph, llvm::ArrayRef<llvm::AllocaInst*> variables,
                   llvm::ArrayRef<llvm::BasicBlock*> points);

  // By their places in `variables` and in `points`: at the beginning of the block.
  bool IsLive(size_t variable, size_t point) const {
    const auto place = static_cast<unsigned>(variable);
    return everywhere_.test(place) ||
           std::binary_search(live_[point].begin(), live_[point].end(), place);
  }

 private:
  llvm::BitVector everywhere_;  // Variables that live at all points.
  // Of each point the others that live there, in their order. Together they are no more than the
  // blocks that were found, unlike a table of all variables at all points.
  std::vector<std::vector<unsigned>> live_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_VARIABLE_LIVENESS_H_
