// Copies function bodies within a view.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_BODY_COPIER_H_
#define FIRSTCALL_SPLITTER_BODY_COPIER_H_

#include "llvm/IR/Function.h"

namespace firstcall {

// Whether CloneInView can copy `function`. It cannot if the address of one of its blocks is taken,
// because that address belongs to the original.
bool CanBeCloned(const llvm::Function& function);

// Copies `function`, with its body, in the same module, without a name. References of the body to
// `function` (a recursive call) still refer to the original.
llvm::Function* CloneInView(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_COPIER_H_
