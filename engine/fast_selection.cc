#include "engine/fast_selection.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

// The short-circuit forms `select a, b, false` and `select a, true, b` of one bit as `and` and
// `or`.
//
// IR keeps the select because the bitwise form is poison when only `b` is. That difference ends
// here: nothing between this point and machine code reasons from poison. FastISel computes both
// operands as bits, and SelectionDAG's only trace of poison, an undefined operand, it folds to 0
// for `and` and to 1 for `or`, which is what the select gives when `a` decides, and one of its
// values when not.
llvm::Instruction* BitwiseForm(llvm::SelectInst& select) {
  if (!select.getType()->isIntegerTy(1)) return nullptr;
  const auto* if_true = llvm::dyn_cast<llvm::ConstantInt>(select.getTrueValue());
  const auto* if_false = llvm::dyn_cast<llvm::ConstantInt>(select.getFalseValue());
  if (if_false != nullptr && if_false->isZero()) {
    return llvm::BinaryOperator::CreateAnd(select.getCondition(), select.getTrueValue());
  }
  if (if_true != nullptr && if_true->isOne()) {
    return llvm::BinaryOperator::CreateOr(select.getCondition(), select.getFalseValue());
  }
  return nullptr;
}

// Puts a switch into a block of its own, so that it takes none of the instructions before it along.
void Isolate(llvm::SwitchInst& instruction) {
  llvm::BasicBlock* block = instruction.getParent();
  if (&block->front() != &instruction) block->splitBasicBlock(instruction.getIterator());
}

}  // namespace

void PrepareForFastSelection(llvm::Function& function) {
  llvm::SmallVector<llvm::SwitchInst*, 8> switches;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      if (llvm::Instruction* bitwise = BitwiseForm(*select)) {
        bitwise->setDebugLoc(select->getDebugLoc());
        bitwise->insertBefore(select);
        select->replaceAllUsesWith(bitwise);
        select->eraseFromParent();
      }
    } else if (auto* terminator = llvm::dyn_cast<llvm::SwitchInst>(&instruction)) {
      switches.push_back(terminator);
    }
  }
  for (llvm::SwitchInst* terminator : switches) Isolate(*terminator);
}

}  // namespace firstcall
