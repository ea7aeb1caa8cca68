// Makes what a function that runs can go on in: the same code, entered at the beginning of an
// iteration of one of its loops. (On-stack replacement as OSRKit does it, D'Elia and Demetrescu,
// "Flexible On-Stack Replacement in LLVM", 2016.)
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_CONTINUATION_H_
#define FIRSTCALL_SPLITTER_CONTINUATION_H_

#include "llvm/ADT/StringRef.h"
#include "splitter/loop_entries.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Turns `function` into its continuation at `entry`, called `name`: a function of the same module
// that is given the address of what lives there, in that order, and returns what `function` would.
// It takes over body and debug information; `function` is a declaration afterwards. Variables whose
// address nobody else can have are copied from the frame of the caller, which the others stay in.
llvm::Function* MakeContinuation(llvm::Function& function, const LoopEntry& entry,
                                 llvm::StringRef name);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_CONTINUATION_H_
