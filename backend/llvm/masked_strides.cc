#include "backend/llvm/masked_strides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace firstcall {
namespace {

constexpr char kVectorize[] = "llvm.loop.vectorize.enable";

// A variable of so many bits has more values than a loop has iterations that index an array.
constexpr unsigned kEnoughBits = 32;

// Whether `expression` has a part that counts the iterations of `loop` in few bits.
bool WrapsAround(const llvm::SCEV* expression, const llvm::Loop& loop) {
  return llvm::SCEVExprContains(expression, [&](const llvm::SCEV* part) {
    const auto* variable = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
    return variable != nullptr && variable->getLoop() == &loop &&
           variable->getType()->isIntegerTy() &&
           variable->getType()->getIntegerBitWidth() < kEnoughBits;
  });
}

bool HasWrappingAddress(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  return llvm::any_of(loop.blocks(), [&](llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](llvm::Instruction& instruction) {
      llvm::Value* address = llvm::getLoadStorePointerOperand(&instruction);
      return address != nullptr && WrapsAround(evolution.getSCEV(address), loop);
    });
  });
}

}  // namespace

llvm::PreservedAnalyses MaskedStridesPass::run(llvm::Function& function,
                                               llvm::FunctionAnalysisManager& analyses) {
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty()) return llvm::PreservedAnalyses::all();
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !HasWrappingAddress(*loop, evolution)) continue;
    llvm::addStringMetadataToLoop(loop, kVectorize, 0);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace firstcall
