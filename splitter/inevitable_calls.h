// Finds the functions that a function always calls.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_
#define FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Returns the functions that `function` calls directly on every path from its entry to a return, in
// the order of the calls. Its body must be in memory. A call of `function` calls all of them,
// unless it never ends, or ends in another way (by an exception, exit or longjmp). In a function
// with many blocks, only the calls before the first branch are considered.
std::vector<llvm::Function*> InevitableCallees(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_
