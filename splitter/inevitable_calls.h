// Finds the functions that a function is bound to call.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_
#define FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// The functions that `function`, whose body must be in memory, calls directly on every way from its
// entry to a return, in the order of the calls: once it has been called, they will be, unless it is
// left otherwise (by an exception, exit or longjmp) or never. Of a function with many blocks only
// the calls before the first branch are looked at.
std::vector<llvm::Function*> InevitableCallees(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_INEVITABLE_CALLS_H_
