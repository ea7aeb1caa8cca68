// Guards indirect calls that mostly call the same few functions: compares the address, and calls
// the function directly if it is that one, so that LLVM can inline it (indirect call promotion).
//
// Thread-compatible: hold the mutex of the view the module's context belongs to. Tested in
// tests/api/call_counts_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_CALL_GUARDS_H_
#define FIRSTCALL_BACKEND_LLVM_CALL_GUARDS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "seam/branch_counts.h"

namespace firstcall {

// Returns the targets for which `call` should be guarded, the likeliest first: two at most, each
// with 30 % or more of the calls that are left. None if the call was counted too rarely, or hardly
// ever in comparison with the branches of its function. `counts` are that function's, and contain
// `call`.
std::vector<CallTarget> LikelyTargets(const BranchCounts& counts, const CallCounts& call);

// A target as one of the values by which LLVM's profile metadata tells what a call has called.
// Calls of other functions have the value kOtherTargets.
uint64_t TargetToValue(const CallTarget& target);
CallTarget ValueToTarget(uint64_t value, uint64_t count);
inline constexpr uint64_t kOtherTargets = UINT64_MAX;

// What a guarded call needs.
struct Guard {
  llvm::Function* function;       // To be called directly.
  llvm::GlobalVariable* address;  // Holds the function's address.
};

// Guards all indirect calls in bodies of `module` that have profile metadata, which is removed, for
// those targets for which `find` has a guard. Calls that cannot call the function directly stay as
// they are: those with other types, operand bundles, `musttail` or `noinline`.
void GuardCalls(llvm::Module& module,
                absl::FunctionRef<std::optional<Guard>(const CallTarget&)> find);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_CALL_GUARDS_H_
