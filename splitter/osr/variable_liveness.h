// Computes which variables in a function's frame are live at given places.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_OSR_VARIABLE_LIVENESS_H_
#define FIRSTCALL_SPLITTER_OSR_VARIABLE_LIVENESS_H_

#include <cstddef>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "splitter/osr/block_graph.h"

namespace llvm {
class AllocaInst;
}  // namespace llvm

namespace firstcall {

// A variable that is only loaded and stored is live where its value may be loaded before it is
// stored. Any other variable is live where its lifetime markers allow that; if it has none, or if
// memory may hold its address, it is live everywhere. The caller must look for live values that
// hold its address. (llvm::StackLifetime gives the same answers for these variables, many times as
// slowly.)
class VariableLiveness {
 public:
  // `variables` are in the function of `graph`, and `points` are blocks of it; all are different.
  // The lifetime markers are users of the variables themselves. Takes time proportional to the
  // function's instructions, and to its blocks times its variables, 64 of them at once. If these
  // are too many, or if the search needs too many passes, all variables count as live everywhere.
  VariableLiveness(const BlockGraph& graph, llvm::ArrayRef<llvm::AllocaInst*> variables,
                   llvm::ArrayRef<unsigned> points);

  // Whether a variable (an index in `variables`) is live at the beginning of a block (an index in
  // `points`).
  bool IsLive(size_t variable, size_t point) const {
    return everywhere_.test(static_cast<unsigned>(variable)) ||
           live_[point].test(static_cast<unsigned>(variable));
  }

 private:
  llvm::BitVector everywhere_;         // Variables that are live at all points.
  std::vector<llvm::BitVector> live_;  // For each point, the other variables that are live there.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_VARIABLE_LIVENESS_H_
