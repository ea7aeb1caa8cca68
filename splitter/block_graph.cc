#include "splitter/block_graph.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

// The only one that `block` goes on to because its condition is constant, or null.
const llvm::BasicBlock* OnlySuccessor(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  if (branch == nullptr || branch->isUnconditional()) return nullptr;
  const auto* condition = llvm::dyn_cast<llvm::ConstantInt>(branch->getCondition());
  return condition == nullptr ? nullptr : branch->getSuccessor(condition->isZero() ? 1 : 0);
}

}  // namespace

BlockGraph::BlockGraph(const llvm::Function& function) {
  numbers_.reserve(static_cast<unsigned>(function.size()));
  unsigned count = 0;
  for (const llvm::BasicBlock& block : function) numbers_[&block] = count++;
  successors_.first.reserve(count + 1);
  predecessors_.first.assign(count + 1, 0);
  const auto add = [this](const llvm::BasicBlock& next) {
    const unsigned number = Number(next);
    successors_.all.push_back(number);
    ++predecessors_.first[number];
  };
  for (const llvm::BasicBlock& block : function) {
    successors_.first.push_back(static_cast<unsigned>(successors_.all.size()));
    if (const llvm::BasicBlock* only = OnlySuccessor(block)) {
      add(*only);
    } else {
      for (const llvm::BasicBlock* next : llvm::successors(&block)) add(*next);
    }
  }
  successors_.first.push_back(static_cast<unsigned>(successors_.all.size()));
  // The predecessors of each block end where those of the next one begin; then they are put in from
  // the end of each list, which moves its end to its beginning.
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
