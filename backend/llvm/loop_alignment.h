// Lets inner loops begin where a processor fetches them fast.

#ifndef FIRSTCALL_BACKEND_LLVM_LOOP_ALIGNMENT_H_
#define FIRSTCALL_BACKEND_LLVM_LOOP_ALIGNMENT_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace firstcall {

// A pass: asks the code generator to align each innermost loop that says nothing of it
// (`llvm.loop.align`) to kLoopAlignment bytes.
//
// Processors take instructions, and what they have decoded, by lines of 32 or 64 bytes. LLVM aligns
// loops to 16 bytes on x86-64, so that whether a small loop lies in one line or in two depends on
// the code in front of it.
class LoopAlignmentPass : public llvm::PassInfoMixin<LoopAlignmentPass> {
 public:
  static constexpr unsigned kLoopAlignment = 32;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LOOP_ALIGNMENT_H_
