// Labels: the addresses of a function's own blocks, to which a computed goto branches.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to. Tested in
// tests/splitter/osr/loop_entries_test.cc.

#ifndef FIRSTCALL_SPLITTER_OSR_LABELS_H_
#define FIRSTCALL_SPLITTER_OSR_LABELS_H_

#include <vector>

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace firstcall {

// Where a function's labels are.
struct Labels {
  bool stay_inside = true;  // Only the function's own indirect branches can use them.
  llvm::SmallPtrSet<const llvm::Value*, 8> values;  // The values and variables that hold one.
};

// Follows the labels of `function`, which must be materialized, through the constant tables and the
// values that hold them.
Labels FindLabels(llvm::Function& function);

// Returns the blocks that the indirect branches of `function` may go to, in the function's order.
// Unlike their addresses, their indices are the same in all copies of the IR.
std::vector<llvm::BasicBlock*> IndirectTargets(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_LABELS_H_
