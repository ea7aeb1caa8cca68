// Keeps LLVM from peeling loops where that does not pay.

#ifndef FIRSTCALL_BACKEND_LLVM_LOOP_PEELING_H_
#define FIRSTCALL_BACKEND_LLVM_LOOP_PEELING_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace firstcall {

// A pass: forbids LLVM to peel those innermost loops of a function that call functions
// (`llvm.loop.peeled.count`). To peel a loop is to copy its first iterations in front of it.
// Changes nothing in functions without a profile. IrOptimizer runs it before loops are unrolled.
//
// LLVM peels a loop if the function's profile says that the loop is left after few iterations.
// Peeling saves the branch at the end of an iteration, which takes little time in comparison with a
// call. But the copies keep more values in registers across the calls, and the function has to save
// these registers each time it is entered.
class LoopPeelingPass : public llvm::PassInfoMixin<LoopPeelingPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LOOP_PEELING_H_
