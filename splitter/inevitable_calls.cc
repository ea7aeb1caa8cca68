#include "splitter/inevitable_calls.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

// Beyond this many blocks the tree of post-dominators costs more than compiling callees together
// saves.
constexpr size_t kMaxBlocks = 48;

void AppendCallees(llvm::BasicBlock& block, std::vector<llvm::Function*>& callees) {
  for (llvm::Instruction& instruction : block) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr) continue;
    llvm::Function* callee = call->getCalledFunction();
    if (callee != nullptr && !callee->isIntrinsic()) callees.push_back(callee);
    // What follows is reached only if this call comes back.
    if (call->doesNotReturn()) return;
  }
}

// The block that certainly comes next, unless an exception intervenes.
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
  // Landing pads end in a resume or an unreachable, which count as ways out: they are not wanted,
  // so follow the normal ways first and use the tree where those part.
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
