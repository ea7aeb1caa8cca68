// Lets no instruction wait for a register that it reads but does not need.
//
// Conversions from integers to floating-point numbers, among others, leave a part of their result
// as it was, or take that part from a register whose value does not matter. LLVM chooses the
// register that was written the longest time ago, and zeroes the register first if that was not
// long ago. But LLVM takes a register that the function itself has not written for one that nobody
// has, also after a call, which may have written all registers a moment ago: then each iteration of
// a loop waits for the one before it.
//
// Thread-compatible. Tested in tests/backend/llvm/false_dependencies_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_FALSE_DEPENDENCIES_H_
#define FIRSTCALL_BACKEND_LLVM_FALSE_DEPENDENCIES_H_

#include "llvm/IR/LegacyPassManager.h"

namespace firstcall {

// Passes of LLVM's code generator. Behind LLVM's own pass that breaks false dependencies, which is
// there at -O1 and above, one is added that zeroes such registers in all functions that call
// others.
class PassesWithoutFalseDependencies final : public llvm::legacy::PassManager {
 public:
  void add(llvm::Pass* pass) override;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_FALSE_DEPENDENCIES_H_
