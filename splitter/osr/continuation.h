// Makes an OSR continuation: the code of a function, entered at the beginning of an iteration of
// one of its loops, in which a running call of the function can continue. (On-stack replacement as
// in OSRKit: D'Elia and Demetrescu, "Flexible On-Stack Replacement in LLVM", 2016.)
//
// Thread-compatible: hold the mutex of the view the function's context belongs to.

#ifndef FIRSTCALL_SPLITTER_OSR_CONTINUATION_H_
#define FIRSTCALL_SPLITTER_OSR_CONTINUATION_H_

#include "llvm/ADT/StringRef.h"
#include "splitter/osr/loop_entries.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

// Turns `function` into its OSR continuation at `entry`, and returns it. It is a function of the
// same module, named `name`, whose parameter is the address of the live-ins, in the order of
// `entry`, and which returns what `function` would return. It takes over the body and the debug
// information; `function` becomes a declaration, or is erased if it has no uses. Variables whose
// address cannot be known elsewhere are copied from the caller's frame; the others stay in that
// frame.
llvm::Function* MakeContinuation(llvm::Function& function, const LoopEntry& entry,
                                 llvm::StringRef name);

// To be called when `module`, which may have continuations, was optimized. A continuation consists
// of an entrance and a body, which LLVM mostly inlines into the entrance. The debug information is
// the body's. If the body is gone, this function gives the debug information to the entrance;
// otherwise the code generator would drop it.
void KeepDebugInfoOfContinuations(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_CONTINUATION_H_
