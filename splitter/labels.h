// The addresses of a function's own blocks, which a computed goto branches to.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_LABELS_H_
#define FIRSTCALL_SPLITTER_LABELS_H_

#include <vector>

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace firstcall {

// Where they are.
struct Labels {
  bool stay_inside = true;  // Nothing but the function's own indirect branches can meet them.
  llvm::SmallPtrSet<const llvm::Value*, 8> values;  // What holds one.
};

// Follows the addresses of the blocks of `function`, which must be materialized, through the
// constant tables and the values that hold them.
Labels FindLabels(llvm::Function& function);

// The blocks that the indirect branches of `function` may go to, in its order. Their numbers there
// are the same for whoever has the same IR, unlike their addresses.
std::vector<llvm::BasicBlock*> IndirectTargets(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LABELS_H_
