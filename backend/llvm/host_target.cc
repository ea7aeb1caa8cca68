#include "backend/llvm/host_target.h"

#include <mutex>  // std::call_once

#include "llvm/IR/BuiltinGCs.h"
#include "llvm/Support/TargetSelect.h"

namespace firstcall {

void InitializeHostTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
#if defined(__x86_64__)
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
#elif defined(__aarch64__)
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#else
    // Correct if LLVM's headers were installed for this architecture.
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
#endif
    // Otherwise a linker leaves these out of a program with LLVM's static libraries: they are found
    // in a list that they enter themselves in.
    llvm::linkAllBuiltinGCs();
    llvm::linkErlangGCPrinter();
    llvm::linkOcamlGCPrinter();
  });
}

}  // namespace firstcall
