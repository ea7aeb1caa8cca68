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
  // Only the function uses them, but for others that may read its constant tables; and what the
  // function branches to, or compares with a label, is one of its own. So another body can take
  // over, which has other labels.
  bool stay_inside = true;
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
