// LLVM's code generator for this machine's architecture.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_HOST_TARGET_H_
#define FIRSTCALL_ENGINE_HOST_TARGET_H_

namespace firstcall {

// Registers it with LLVM, and no other; once, however often it is called. LLVM's own
// InitializeNativeTarget registers what the headers were installed for, which is another one where
// this was compiled by a cross compiler.
void InitializeHostTarget();

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_HOST_TARGET_H_
