// Tells LLVM's passes and its code generator what counting bodies have counted: profile metadata,
// with which they place blocks, inline, unroll, and allocate registers. Indirect calls get
// metadata, too, which GuardCalls reads and removes (backend/llvm/call_guards.h).
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_BRANCH_PROFILE_H_
#define FIRSTCALL_BACKEND_LLVM_BRANCH_PROFILE_H_

#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "seam/branch_counts.h"

namespace firstcall {

// Counts that have a lower sum are too few to say where a function's time goes.
inline constexpr uint64_t kLeastCounts = 1000;

// Whether `counts` has at least kLeastCounts.
bool AreEnough(const BranchCounts& counts);

struct CountedFunction {
  llvm::Function* function;
  const BranchCounts* counts;
};

// Annotates the branches, and the indirect calls that should be guarded, of functions of `module`,
// which have their bodies, and whose counts are given. Counts of another shape than the function
// has now are not used, nor are too few. Critical edges may be split.
//
// `root` is the function for which the module was made. If it is among `functions`, it gets the
// number of its entries, and the module a summary of its counts: LLVM judges by it what is hot and
// what is cold. Other functions have been counted at other times and for other callers, so that
// their counts say nothing about how often they are called here; only their branches are annotated.
void UseBranchCounts(llvm::Module& module, const llvm::Function& root,
                     llvm::ArrayRef<CountedFunction> functions);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_BRANCH_PROFILE_H_
