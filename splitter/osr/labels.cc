#include "splitter/osr/labels.h"

#include <utility>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace firstcall {
namespace {

// Other functions may read a table of labels, too. Which ones is not known, because their bodies
// may not have been read. So it does not count what they do. Instead, whatever the function
// branches to, or compares with a label, must certainly be one of its labels that it has itself got
// from a constant or a table: no label of another body of this function can come in.
class LabelTracer {
 public:
  explicit LabelTracer(llvm::Function& function) : function_(function) {}

  Labels Trace() && {
    bool has_labels = false;
    for (llvm::BasicBlock& block : function_) {
      if (!block.hasAddressTaken()) continue;
      has_labels = true;
      if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block))
        FollowConstant(*address);
    }
    if (has_labels && labels_.stay_inside && !AreSourcesKnown()) Escape();
    return std::move(labels_);
  }

 private:
  void Escape() { labels_.stay_inside = false; }

  // `constant` is a label, or contains labels.
  void FollowConstant(llvm::Constant& constant) {
    for (llvm::User* user : constant.users()) {
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        if (instruction->getFunction() != &function_) return Escape();
        FollowUse(*instruction, constant);
      } else if (auto* table = llvm::dyn_cast<llvm::GlobalVariable>(user)) {
        if (!table->isConstant() || !table->hasLocalLinkage()) return Escape();
        if (seen_.insert(table).second) FollowPointer(*table);
      } else if (auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(user)) {
        if (seen_.insert(aggregate).second) FollowConstant(*aggregate);
      } else {
        return Escape();
      }
    }
  }

  // `pointer` points into a table of labels.
  void FollowPointer(llvm::Value& pointer) {
    for (llvm::User* user : pointer.users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction != nullptr && instruction->getFunction() != &function_) continue;
      if (llvm::isa<llvm::LoadInst>(user)) {
        FollowValue(*user);
      } else if (llvm::isa<llvm::GEPOperator>(user)) {
        if (seen_.insert(user).second) FollowPointer(*user);
      } else if (instruction != nullptr ||
                 IsUsedByInstructions(*llvm::cast<llvm::Constant>(user))) {
        return Escape();
      }
    }
  }

  // Whether instructions of the function use `constant`, perhaps as a part of other constants.
  bool IsUsedByInstructions(const llvm::Constant& constant) const {
    llvm::SmallVector<const llvm::Constant*, 8> pending = {&constant};
    llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
    while (!pending.empty()) {
      for (const llvm::User* user : pending.pop_back_val()->users()) {
        if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
          if (instruction->getFunction() == &function_) return true;
        } else if (!llvm::isa<llvm::GlobalValue>(user)) {
          const auto* next = llvm::cast<llvm::Constant>(user);
          if (seen.insert(next).second) pending.push_back(next);
        }
      }
    }
    return false;
  }

  void FollowValue(llvm::Value& value) {
    if (!labels_.values.insert(&value).second) return;
    for (llvm::User* user : value.users()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr) return Escape();
      FollowUse(*instruction, value);
    }
  }

  void FollowUse(llvm::Instruction& user, llvm::Value& value) {
    if (llvm::isa<llvm::IndirectBrInst>(user)) return;
    if (llvm::isa<llvm::ICmpInst>(user)) return comparisons_.push_back(&user);
    if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user)) return FollowValue(user);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
    if (store == nullptr || store->getValueOperand() != &value) return Escape();
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(store->getPointerOperand());
    if (variable == nullptr || !llvm::isAllocaPromotable(variable)) return Escape();
    if (!labels_.values.insert(variable).second) return;
    for (llvm::User* access : variable->users()) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) FollowValue(*load);
    }
  }

  // Whether what the function branches to, and what it compares with labels, can only be labels of
  // its own: values that were followed, or constants.
  bool AreSourcesKnown() const {
    for (const llvm::BasicBlock& block : function_) {
      const auto* branch = llvm::dyn_cast_or_null<llvm::IndirectBrInst>(block.getTerminator());
      if (branch != nullptr && !IsLabel(*branch->getAddress())) return false;
    }
    for (const llvm::Instruction* comparison : comparisons_) {
      if (!AreLabels(comparison->operands())) return false;
    }
    for (const llvm::Value* value : labels_.values) {
      if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
        if (!AreLabels(phi->incoming_values())) return false;
      } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value)) {
        if (!IsLabel(*select->getTrueValue()) || !IsLabel(*select->getFalseValue())) return false;
      } else if (llvm::isa<llvm::AllocaInst>(value) && !HoldsOnlyLabels(*value)) {
        return false;
      }
    }
    return true;
  }

  template <typename Uses>
  bool AreLabels(const Uses& values) const {
    return llvm::all_of(values, [&](const llvm::Use& value) { return IsLabel(*value); });
  }

  bool HoldsOnlyLabels(const llvm::Value& variable) const {
    return llvm::all_of(variable.users(), [&](const llvm::User* user) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      return store == nullptr || IsLabel(*store->getValueOperand());
    });
  }

  // Or no address at all.
  bool IsLabel(const llvm::Value& value) const {
    if (labels_.values.contains(&value)) return true;
    if (const auto* label = llvm::dyn_cast<llvm::BlockAddress>(&value)) {
      return label->getFunction() == &function_;
    }
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
    return constant != nullptr &&
           (llvm::isa<llvm::UndefValue>(constant) || constant->isNullValue());
  }

  llvm::Function& function_;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
  llvm::SmallVector<const llvm::Instruction*, 8> comparisons_;  // Of labels.
  Labels labels_;
};

}  // namespace

Labels FindLabels(llvm::Function& function) { return LabelTracer(function).Trace(); }

std::vector<llvm::BasicBlock*> IndirectTargets(llvm::Function& function) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> found;
  for (llvm::BasicBlock& block : function) {
    if (!llvm::isa_and_present<llvm::IndirectBrInst>(block.getTerminator())) continue;
    for (llvm::BasicBlock* target : llvm::successors(&block)) found.insert(target);
  }
  std::vector<llvm::BasicBlock*> targets;
  if (found.empty()) return targets;
  for (llvm::BasicBlock& block : function) {
    if (found.contains(&block)) targets.push_back(&block);
  }
  return targets;
}

}  // namespace firstcall
