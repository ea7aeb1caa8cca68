#include "splitter/osr/block_graph.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {

const llvm::BasicBlock* OnlySuccessor(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || branch->isUnconditional()) return nullptr;
  const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(branch->getCondition());
  return condition == nullptr ? nullptr : branch->getSuccessor(condition->isZero() ? 1 : 0);
}

BlockGraph::BlockGraph(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) blocks_.push_back(&block);
  const auto count = static_cast<unsigned>(blocks_.size());
  numbers_.reserve(count);
  for (unsigned number = 0; number < count; ++number) {
    numbers_.try_emplace(blocks_[number], number);
  }
  successors_.first.reserve(count + 1);
  predecessors_.first.assign(count + 1, 0);
  const auto add = [this](const llvm::BasicBlock& next) {
    const unsigned number = Number(next);
    successors_.all.push_back(number);
    ++predecessors_.first[number];
  };
  for (const llvm::BasicBlock* block : blocks_) {
    successors_.first.push_back(static_cast<unsigned>(successors_.all.size()));
    if (const llvm::BasicBlock* only = OnlySuccessor(*block)) {
      add(*only);
    } else {
      const llvm::Instruction& terminator = *block->getTerminator();
      for (unsigned i = 0, end = terminator.getNumSuccessors(); i < end; ++i) {
        add(*terminator.getSuccessor(i));
      }
    }
  }
  successors_.first.push_back(static_cast<unsigned>(successors_.all.size()));
  // At first, `first` of a block is the end of its list of predecessors. Each list is then filled
  // from its end, which moves `first` to the list's beginning.
  unsigned end = 0;
  for (unsigned& first : predecessors_.first) first = end += first;
  predecessors_.all.resize(successors_.all.size());
  for (unsigned block = count; block-- > 0;) {
    for (const unsigned next : Successors(block)) {
      predecessors_.all[--predecessors_.first[next]] = block;
    }
  }
}

}  // namespace firstcall
