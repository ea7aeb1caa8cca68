// Makes a body count what its indirect calls call.
//
// Thread-compatible: hold the mutex of the view the function's context belongs to. Tested in
// tests/api/call_counts_test.cc.

#ifndef FIRSTCALL_BACKEND_LLVM_CALL_COUNTING_H_
#define FIRSTCALL_BACKEND_LLVM_CALL_COUNTING_H_

#include <cstddef>

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"

namespace firstcall {

// Whether `function` calls anything through a pointer.
bool HasIndirectCalls(const llvm::Function& function);

// Replaces `profiled`, an intrinsic of LLVM's instrumentation in front of an indirect call, by code
// that notes what is called in the kWordsOfCall words of `counters`, an array of 64-bit words, that
// begin at `place`. The code has no branches. Its loads and stores are not atomic, so threads that
// count at the same time may lose counts, and may make two candidates of one address; but the
// addresses are always such that were called, or zero.
void CountCall(llvm::InstrProfValueProfileInst& profiled, llvm::GlobalVariable& counters,
               size_t place);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_CALL_COUNTING_H_
