// Runs IR in this process by LLVM alone: what tests compare with.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_SPLITTER_OSR_REFERENCE_JIT_H_
#define FIRSTCALL_TESTS_SPLITTER_OSR_REFERENCE_JIT_H_

#include <map>
#include <memory>
#include <string>

#include "llvm/ExecutionEngine/ExecutionEngine.h"

namespace firstcall {

// What sizes and alignments its code has: to be set before anything that asks for them is added.
std::string ReferenceDataLayout();

class ReferenceJit {
 public:
  // Compiles `module`, after LLVM's -O2 if `optimize`. `host` is what it may call of the process by
  // other names than the process gives them. The running test fails if the module is not valid, or
  // cannot be compiled.
  ReferenceJit(std::unique_ptr<llvm::Module> module, bool optimize,
               const std::map<std::string, void*>& host);

  // A function's or a variable's; null if there is none.
  template <typename T>
  T* Address(const std::string& name) {
    return engine_ == nullptr ? nullptr : reinterpret_cast<T*>(Find(name));
  }

 private:
  uint64_t Find(const std::string& name);

  std::unique_ptr<llvm::ExecutionEngine> engine_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_SPLITTER_OSR_REFERENCE_JIT_H_
