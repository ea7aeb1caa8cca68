// Triples of modules and target machines: text in LLVM 19, llvm::Triple in LLVM 22.
//
// Not thread-safe: a module is for one thread at a time.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TRIPLE_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TRIPLE_H_

#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::llvm_version {

// The triple as LLVM's functions of this version take it.
#if LLVM_VERSION_MAJOR >= 21
using TripleArgument = const llvm::Triple&;
inline TripleArgument ToArgument(const llvm::Triple& triple) { return triple; }
#else
using TripleArgument = const std::string&;
inline TripleArgument ToArgument(const llvm::Triple& triple) { return triple.str(); }
#endif

inline std::string TripleTextOf(const llvm::Module& module) {
  return llvm::Triple(module.getTargetTriple()).str();
}

inline void SetTriple(llvm::Module& module, const llvm::Triple& triple) {
  module.setTargetTriple(ToArgument(triple));
}
inline void SetTriple(llvm::Module& module, llvm::StringRef triple) {
  SetTriple(module, llvm::Triple(triple));
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TRIPLE_H_
