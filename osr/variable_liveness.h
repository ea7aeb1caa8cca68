// Computes which variables in a function's frame are live at given places.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_OSR_VARIABLE_LIVENESS_H_
#define FIRSTCALL_OSR_VARIABLE_LIVENESS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "osr/block_graph.h"

namespace llvm {
class AllocaInst;
}  // namespace llvm

namespace firstcall {

// A variable that is only loaded and stored is live where its value may be loaded before it is
// stored. Any other variable is live where its lifetime markers allow that; if it has none, or if
// memory may hold its address, it is live everywhere. The caller must look for live values that
// hold its address. (llvm::StackLifetime gives the same answers for these variables, twenty times
// as slowly.)
class VariableLiveness {
 public:
  // `variables` are in the function of `graph`, and `points` are blocks of it; all are different.
  // The lifetime markers are users of the variables themselves. Takes time proportional to the
  // variables' uses and to the number of blocks in which they are live. That number is limited to a
  // multiple of the function's blocks; a variable that would exceed the limit counts as live
  // everywhere.
  VariableLiveness(const BlockGraph& graph, llvm::ArrayRef<llvm::AllocaInst*> variables,
                   llvm::ArrayRef<unsigned> points);

  // Whether a variable (an index in `variables`) is live at the beginning of a block (an index in
  // `points`).
  bool IsLive(size_t variable, size_t point) const {
    const auto place = static_cast<unsigned>(variable);
    return everywhere_.test(place) ||
           std::binary_search(live_[point].begin(), live_[point].end(), place);
  }

 private:
  llvm::BitVector everywhere_;  // Variables that are live at all points.
  // For each point, the other variables that are live there, in their order. Together they are no
  // more than the blocks that were found, unlike a table of all variables at all points.
  std::vector<std::vector<unsigned>> live_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OSR_VARIABLE_LIVENESS_H_
