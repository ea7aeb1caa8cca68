#include "splitter/osr/labels.h"

#include <utility>

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace firstcall {
namespace {

class LabelTracer {
 public:
  explicit LabelTracer(llvm::Function& function) : function_(function) {}

  Labels Trace() && {
    for (llvm::BasicBlock& block : function_) {
      if (!block.hasAddressTaken()) continue;
      if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block))
        FollowConstant(*address);
    }
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
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        FollowValue(*load);
      } else if (llvm::isa<llvm::GEPOperator>(user)) {
        if (seen_.insert(user).second) FollowPointer(*user);
      } else {
        return Escape();
      }
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction != nullptr && instruction->getFunction() != &function_) return Escape();
    }
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
    if (llvm::isa<llvm::IndirectBrInst, llvm::ICmpInst>(user)) return;
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

  llvm::Function& function_;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
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
