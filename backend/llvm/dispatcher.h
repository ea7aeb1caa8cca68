// Functions that interpret: large ones whose time goes into a branch of many ways, such as those
// that run the instructions of Lua and of SQLite. LLVM takes longest for them, the program runs
// their first body meanwhile, and most of what the passes of -O2 look for (loops to vectorize and
// to unroll, values that are computed twice) is not in code that branches after every few
// instructions.
//
// Thread-safe: pure functions. Tested in tests/backend/llvm/dispatcher_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_DISPATCHER_H_
#define FIRSTCALL_BACKEND_LLVM_DISPATCHER_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "third_party/llvm/version/passes.h"

namespace firstcall {

// Whether `function` is large, and has a `switch` or a computed goto of many ways.
bool IsDispatcher(const llvm::Function& function);

// Whether a function-module is that of a dispatcher, and PassesForDispatchers are enough for it.
// Bodies that are only there to be inlined do not count.
bool HasDispatcher(const llvm::Module& module);

// The passes for such a module, for which LLVM takes a sixth to a third of the time of its -O2
// pipeline: callees are inlined, variables become values, and instructions and branches are
// simplified. Nothing looks for loops.
llvm::ModulePassManager PassesForDispatchers();

// The names of the code generator's passes that such a module can do without. Loop strength
// reduction finds what the iterations of a loop have in common, and in an interpreter's loop they
// have little: it takes a fifth of the time of code generation, and the code has the same size
// without it. Domain reassignment moves computations to the registers for masks of AVX-512, which
// an interpreter has no use for: where the CPU has them, it takes a quarter of the time of code
// generation for Lua's.
inline constexpr llvm::StringLiteral kPassesNotForDispatchers[] = {
    "Loop Strength Reduction", llvm_version::kDomainReassignment};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_DISPATCHER_H_
