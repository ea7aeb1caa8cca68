// Inlines the calls that must always be inlined (`alwaysinline`), which every pipeline of LLVM
// does, that of -O0 included. Some callees are not there otherwise: the body of an
// `available_externally` function is never emitted.
//
// The result depends on the bodies as they were read only, not on the order in which functions are
// asked for: every view of a source module has the same bodies, and so the same loops, afterwards.
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

// Whether calls of `function` must be inlined. Its body has to stay in the view then.
bool MustBeInlined(const llvm::Function& function);

// Whether InlineMandatoryCalls has been at work on `function`, for which calls must be inlined:
// then its body is complete, and was valid.
bool HasMandatoryCallsInlined(const llvm::Function& function);

// Whether InlineMandatoryCalls may find anything in a body of `module`. Takes time in proportion to
// the number of functions.
bool MayHaveMandatoryCalls(const llvm::Module& module);

// Inlines into `function`, whose body must be in memory, what it must inline, with what that must
// inline itself. Left alone are calls of functions that LLVM cannot inline, calls within a cycle of
// such calls, and calls of what `may_be_inlined` refuses, which is to read the callee's body, and
// must always give the same answer.
void InlineMandatoryCalls(llvm::Function& function,
                          absl::FunctionRef<bool(llvm::Function&)> may_be_inlined);

// Calls the hooks that `function`, whose body must be in memory, asks for at its entry and its
// exits (clang's -finstrument-functions). To be done before anything is inlined.
void CallEntryAndExitHooks(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MANDATORY_INLINER_H_
