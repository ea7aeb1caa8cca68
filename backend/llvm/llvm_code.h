// Tells where the code of LLVM is in this process. Tested in tests/runtime/unattended_work_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_LLVM_CODE_H_
#define FIRSTCALL_BACKEND_LLVM_LLVM_CODE_H_

namespace firstcall {

// The address of some function of LLVM's. Thread-safe.
const void* SomewhereInLlvm();

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LLVM_CODE_H_
