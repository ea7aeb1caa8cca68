#include "splitter/likely_calls.h"

#include <algorithm>
#include <cstdint>

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

namespace firstcall {

std::vector<llvm::Function*> LikelyCallees(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::BranchProbabilityInfo probabilities(function, loops);
  const llvm::BlockFrequencyInfo frequencies(function, probabilities, loops);
  llvm::MapVector<llvm::Function*, uint64_t> highest;  // Keeps the order of equal frequencies.
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr) continue;
      auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
      if (callee == nullptr || callee == &function || callee->isIntrinsic()) continue;
      uint64_t& frequency = highest[callee];
      frequency = std::max(frequency, frequencies.getBlockFreq(&block).getFrequency());
    }
  }
  auto callees = highest.takeVector();
  std::stable_sort(callees.begin(), callees.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<llvm::Function*> result;
  for (const auto& [callee, frequency] : callees) result.push_back(callee);
  return result;
}

}  // namespace firstcall
