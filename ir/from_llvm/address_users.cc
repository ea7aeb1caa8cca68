#include "ir/from_llvm/address_users.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/User.h"
#include "llvm/Support/Casting.h"

namespace firstcall::ir {
namespace {

// Constants may be used by each other to any depth, and each by many, so there is no recursion, and
// each constant is looked at once.
class UserWalk {
 public:
  // Calls `visit(user)` for each user of `constant`. If the call returns true, goes on with the
  // users of that user, a constant.
  template <typename Visit>
  void Walk(const llvm::Constant& constant, const Visit& visit) {
    work_.push_back(&constant);
    while (!work_.empty()) {
      const llvm::Constant* const used = work_.pop_back_val();
      for (const llvm::User* user : used->users()) {
        if (!visit(*user)) continue;
        const auto* next = llvm::cast<llvm::Constant>(user);
        if (seen_.insert(next).second) work_.push_back(next);
      }
    }
  }

 private:
  llvm::SmallVector<const llvm::Constant*, 8> work_;
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen_;
};

}  // namespace

bool HasSharedBlocks(const llvm::Function& function) {
  UserWalk walk;
  bool is_shared = false;
  for (const llvm::BasicBlock& block : function) {
    if (!block.hasAddressTaken()) continue;
    const llvm::BlockAddress* const address = llvm::BlockAddress::lookup(&block);
    if (address == nullptr) continue;
    walk.Walk(*address, [&](const llvm::User& user) {
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user)) {
        is_shared |= instruction->getFunction() != &function;
        return false;
      }
      return llvm::isa<llvm::Constant>(user) && !llvm::isa<llvm::GlobalValue>(user);
    });
  }
  return is_shared;
}

AddressUsers UsersOf(const llvm::GlobalVariable& variable) {
  AddressUsers users;
  UserWalk().Walk(variable, [&](const llvm::User& user) {
    if (llvm::isa<llvm::ConstantExpr>(user)) return true;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&user);
    if (instruction == nullptr) {
      users.has_others = true;
    } else if (users.one == nullptr) {
      users.one = instruction->getFunction();
    } else if (users.one != instruction->getFunction()) {
      users.has_others = true;
    }
    return false;
  });
  return users;
}

}  // namespace firstcall::ir
