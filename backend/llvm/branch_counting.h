// Makes a body count where its branches go and what its indirect calls call: the instrumentation of
// LLVM's profile-guided optimization, with counters that need no runtime library.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to. Tested in
// tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_BRANCH_COUNTING_H_
#define FIRSTCALL_BACKEND_LLVM_BRANCH_COUNTING_H_

#include <optional>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"
#include "seam/branch_counts.h"

namespace firstcall {

// Whether `function` has branches or indirect calls that are worth counting, and LLVM can count
// them. It cannot if the function has computed gotos.
bool CanCountBranches(const llvm::Function& function);

// Adds counters, and code that counts, to `function`, whose module must define no other function
// with a body. The module defines the counters under `name`, as 64-bit words that are zero at first
// (see seam/branch_counts.h). Critical edges of the function are split; otherwise its blocks stay
// what they are. Nullopt if there is nothing to count: the function has not been changed.
//
// The counters are of as few edges as LLVM needs to compute the counts of all (a spanning tree of
// the control flow has none). Loads and stores are not atomic, so threads that count at the same
// time may lose counts.
std::optional<BranchCounters> CountBranches(llvm::Function& function, llvm::StringRef name);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_BRANCH_COUNTING_H_
