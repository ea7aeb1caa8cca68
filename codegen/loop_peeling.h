// Keeps LLVM from peeling loops where that does not pay.

#ifndef FIRSTCALL_CODEGEN_LOOP_PEELING_H_
#define FIRSTCALL_CODEGEN_LOOP_PEELING_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace firstcall {

// A pass for functions that have a profile: forbids LLVM to copy iterations of an innermost loop in
// front of it (to peel it) if the loop calls functions (`llvm.loop.peeled.count`).
//
// LLVM peels a loop if its profile says that it is left after few iterations. It saves the branch
// at the iterations' end, which is nothing beside a call, and what the copies keep across the calls
// takes further registers, which the function has to save when it is entered.
class LoopPeelingPass : public llvm::PassInfoMixin<LoopPeelingPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_LOOP_PEELING_H_
