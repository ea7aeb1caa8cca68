// The functions that LLVM's code generator calls of its own accord.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_RUNTIME_FUNCTIONS_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_RUNTIME_FUNCTIONS_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/RuntimeLibcalls.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::llvm_version {

// Calls `visit` with the name of each such function of a target. The names exist as long as the
// process. Thread-safe.
template <typename Visit>
void ForEachRuntimeFunction(const llvm::Triple& triple, const Visit& visit) {
  llvm::RTLIB::RuntimeLibcallsInfo functions(triple);
#if LLVM_VERSION_MAJOR >= 22
  for (const llvm::RTLIB::LibcallImpl function : llvm::RTLIB::libcall_impls()) {
    if (functions.isAvailable(function)) visit(functions.getLibcallImplName(function));
  }
#else
  for (const char* name : functions.getLibcallNames()) {
    if (name != nullptr) visit(llvm::StringRef(name));
  }
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_RUNTIME_FUNCTIONS_H_
