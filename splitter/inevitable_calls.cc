#include "splitter/inevitable_calls.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

// For a function with more blocks, computing the post-dominator tree costs more than compiling
// callees together saves.
constexpr size_t kMaxBlocks = 48;

void AppendCallees(llvm::BasicBlock& block, std::vector<llvm::Function*>& callees) {
  for (llvm::Instruction& instruction : block) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr && !callee->isIntrinsic()) callees.push_back(callee);
    // What follows is reached only if this call returns.
    if (call->doesNotReturn()) return;
  }
}

// The block that always comes next, unless an exception is thrown.
llvm::BasicBlock* OnlyNormalSuccessor(llvm::BasicBlock& block) {
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator())) {
    return invoke->getNormalDest();
  }
  return block.getSingleSuccessor();
}

}  // namespace

std::vector<llvm::Function*> InevitableCallees(llvm::Function& function) {
  std::vector<llvm::Function*> callees;
  llvm::BasicBlock* block = &function.getEntryBlock();
  AppendCallees(*block, callees);
  if (function.size() == 1) return callees;
  if (function.size() > kMaxBlocks) {
    for (size_t followed = 1; followed < kMaxBlocks; ++followed) {
      block = OnlyNormalSuccessor(*block);
      if (block == nullptr || block == &function.getEntryBlock()) break;
      AppendCallees(*block, callees);
    }
    return callees;
  }
  // Landing pads end in a resume or an unreachable, which the tree counts as exits. They are not
  // wanted here, so the normal successor is followed first, and the tree is used where paths split.
  llvm::PostDominatorTree tree(function);
  for (size_t followed = 1; followed < function.size(); ++followed) {
    llvm::BasicBlock* next = OnlyNormalSuccessor(*block);
    if (next == nullptr) {
      const auto* node = tree.getNode(block);
      const auto* joined = node == nullptr ? nullptr : node->getIDom();
      next = joined == nullptr ? nullptr : joined->getBlock();
    }
    if (next == nullptr) break;
    AppendCallees(*next, callees);
    block = next;
  }
  return callees;
}

}  // namespace firstcall
