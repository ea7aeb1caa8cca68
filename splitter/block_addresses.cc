#include "splitter/block_addresses.h"

#include <utility>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"

namespace firstcall {
namespace {

class PartnerFinder {
 public:
  explicit PartnerFinder(llvm::Function& function) : function_(function) {}

  std::vector<llvm::Function*> Find() && {
    for (llvm::BasicBlock& block : function_) {
      if (block.hasAddressTaken()) {
        if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block)) FindUsers(*address);
      }
      for (llvm::Instruction& instruction : block) {
        for (llvm::Use& operand : instruction.operands()) FindUsed(*operand);
      }
    }
    return std::move(partners_);
  }

 private:
  void Add(llvm::Function& function) {
    if (&function != &function_) partners_.push_back(&function);
  }

  void FindUsers(llvm::Constant& address) {
    for (llvm::User* user : address.users()) {
      if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        Add(*instruction->getFunction());
      } else if (auto* constant = llvm::dyn_cast<llvm::Constant>(user);
                 constant != nullptr && !llvm::isa<llvm::GlobalValue>(constant) &&
                 seen_.insert(constant).second) {
        FindUsers(*constant);
      }
    }
  }

  void FindUsed(llvm::Value& value) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(&value);
    if (constant == nullptr || llvm::isa<llvm::GlobalValue, llvm::ConstantData>(constant)) return;
    if (auto* address = llvm::dyn_cast<llvm::BlockAddress>(constant)) {
      Add(*address->getFunction());
    } else if (used_.insert(constant).second) {
      for (llvm::Use& operand : constant->operands()) FindUsed(*operand);
    }
  }

  llvm::Function& function_;
  std::vector<llvm::Function*> partners_;
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen_;  // Seen by FindUsers.
  llvm::SmallPtrSet<const llvm::Constant*, 8> used_;  // Seen by FindUsed.
};

}  // namespace

std::vector<llvm::Function*> BlockAddressPartners(llvm::Function& function) {
  return PartnerFinder(function).Find();
}

}  // namespace firstcall
