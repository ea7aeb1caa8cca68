#include "backend/llvm/loop_alignment.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace firstcall {
namespace {

constexpr char kAlignment[] = "llvm.loop.align";

}  // namespace

llvm::PreservedAnalyses LoopAlignmentPass::run(llvm::Function& function,
                                               llvm::FunctionAnalysisManager& analyses) {
  if (function.hasOptSize()) return llvm::PreservedAnalyses::all();
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || llvm::findOptionMDForLoop(loop, kAlignment) != nullptr) continue;
    llvm::addStringMetadataToLoop(loop, kAlignment, kLoopAlignment);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace firstcall
