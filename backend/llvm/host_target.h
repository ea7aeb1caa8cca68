// LLVM's code generator for this machine's architecture.
//
// Thread-safe. Tested in tests/backend/llvm/target_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_HOST_TARGET_H_
#define FIRSTCALL_BACKEND_LLVM_HOST_TARGET_H_

namespace firstcall {

// Registers LLVM's target for this architecture, and no other, and the garbage collectors that LLVM
// knows with the tables that it writes for them, at the first call. LLVM's own
// InitializeNativeTarget registers the target that LLVM's headers were installed for, which differs
// under a cross compiler.
void InitializeHostTarget();

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_HOST_TARGET_H_
