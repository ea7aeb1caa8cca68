// Whether a function names thread-local variables. A program whose functions go on in other threads
// than those in which they have begun, as fibers do, reaches these variables by functions that stay
// calls: LLVM takes the thread for the same in all of a function.
//
// Thread-safe: a pure function. Tested in tests/splitter/callee_importer_test.cc and
// tests/programs/single/fibers.c.

#ifndef FIRSTCALL_SPLITTER_THREAD_LOCAL_USES_H_
#define FIRSTCALL_SPLITTER_THREAD_LOCAL_USES_H_

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/InstIterator.h"

namespace firstcall {

inline bool NamesThreadLocals(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    return llvm::any_of(instruction.operands(), [](const llvm::Use& operand) {
      const auto* value = llvm::dyn_cast<llvm::GlobalValue>(operand.get());
      return value != nullptr && value->isThreadLocal();
    });
  });
}

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_THREAD_LOCAL_USES_H_
