#include "backend/llvm/fast_selection.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace firstcall {
namespace {

// The `and` or `or` that replaces a one-bit select of a short-circuit form: `select a, b, false` or
// `select a, true, b`. Null for other selects.
//
// IR keeps the select because the bitwise form is poison if only `b` is poison. From here to
// machine code nothing reasons from poison, so the difference no longer matters. FastISel computes
// both operands as bits. SelectionDAG represents poison only as an undefined operand, which it
// folds to 0 for `and` and to 1 for `or`. The select has that value if `a` decides, and otherwise
// it may have any.
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

// Puts a switch into a block of its own, so that the instructions before it are still selected
// fast.
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
