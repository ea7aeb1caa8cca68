// Inlines the calls that must always be inlined (`alwaysinline`), as every pipeline of LLVM does,
// even that of -O0. Some callees do not exist otherwise: the body of an `available_externally`
// function is never emitted.
//
// The result depends only on the bodies as they were read, not on the order in which functions are
// asked for. So every view of a source module has the same bodies, with the same loops, afterwards.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_MANDATORY_INLINER_H_
#define FIRSTCALL_SPLITTER_MANDATORY_INLINER_H_

#include "absl/functional/function_ref.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace firstcall {

// Whether calls of `function` must be inlined. If so, its body has to stay in the view.
bool MustBeInlined(const llvm::Function& function);

// Whether InlineMandatoryCalls may have anything to do in `module`. Takes time proportional to the
// number of functions.
bool MayHaveMandatoryCalls(const llvm::Module& module);

// Inlines into `function`, whose body must be in memory, all calls that must be inlined, after the
// same was done for the callees. Not inlined are calls of functions that LLVM cannot inline, calls
// within a cycle of such calls, and calls of functions that `may_be_inlined` refuses.
// `may_be_inlined` has to read the callee's body, and must always give the same answer.
// `on_inlined` is told each time a callee was inlined into a caller; before that, it was told what
// was inlined into the callee.
void InlineMandatoryCalls(
    llvm::Function& function, absl::FunctionRef<bool(llvm::Function&)> may_be_inlined,
    absl::FunctionRef<void(const llvm::Function& caller, const llvm::Function& callee)> on_inlined);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MANDATORY_INLINER_H_
