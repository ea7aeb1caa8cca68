#include "splitter/simplified_bodies.h"

#include "splitter/body_copier.h"

namespace firstcall {

llvm::Function& SimplifiedBodies::Of(llvm::Function& function, Simplify simplify) {
  llvm::Function*& copy = copies_[&function];
  if (copy == nullptr) {
    copy = CloneInView(function);
    simplify(*copy);
  }
  return *copy;
}

void SimplifiedBodies::Drop(const llvm::Function& function) {
  const auto found = copies_.find(&function);
  found->second->eraseFromParent();
  copies_.erase(found);
}

}  // namespace firstcall
