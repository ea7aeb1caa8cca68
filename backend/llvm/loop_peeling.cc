#include "backend/llvm/loop_peeling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace firstcall {
namespace {

// How many iterations have been peeled, by which LLVM knows when it has peeled enough.
constexpr char kPeeled[] = "llvm.loop.peeled.count";
// More than LLVM peels (its option unroll-peel-max-count is 7).
constexpr unsigned kEnough = 1000;

bool Calls(const llvm::Loop& loop, const llvm::TargetTransformInfo& target) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm()) return false;
      const llvm::Function* callee = call->getCalledFunction();
      return callee == nullptr || target.isLoweredToCall(callee);
    });
  });
}

}  // namespace

llvm::PreservedAnalyses LoopPeelingPass::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  if (!function.hasProfileData()) return llvm::PreservedAnalyses::all();
  const auto& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !Calls(*loop, target)) continue;
    if (llvm::findOptionMDForLoop(loop, kPeeled) != nullptr) continue;
    llvm::addStringMetadataToLoop(loop, kPeeled, kEnough);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace firstcall
