// The gate that LLVM's pass managers ask before each pass, and what passes do.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_PASSES_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_PASSES_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/OptBisect.h"

namespace firstcall::llvm_version {

class PassGate : public llvm::OptPassGate {
 public:
  // Whether the pass of this name runs (llvm::Pass::getPassName, or of passes over machine code
  // since LLVM 22 their argument). Only asked if isEnabled().
  virtual bool Admits(llvm::StringRef pass) const = 0;

#if LLVM_VERSION_MAJOR >= 21
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const final { return Admits(pass); }
#else
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) final { return Admits(pass); }
#endif
};

// What the gate is told of the pass "X86 Domain Reassignment Pass": of passes over machine code its
// name, and since LLVM 22 its argument.
constexpr llvm::StringLiteral kDomainReassignment =
#if LLVM_VERSION_MAJOR >= 22
    "x86-domain-reassignment";
#else
    "X86 Domain Reassignment Pass";
#endif

// Whether the vectorizer makes vectors of pointers of 32 bits for every CPU with x86-64. No version
// generates code for them: LLVM 22.1 crashes. LLVM 19 makes them for few CPUs.
constexpr bool kVectorizesShortPointers = LLVM_VERSION_MAJOR >= 22;

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_PASSES_H_
