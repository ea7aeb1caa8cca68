#include "splitter/body_copier.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace firstcall {

bool CanBeCloned(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    if (block.hasAddressTaken()) return false;
  }
  return true;
}

llvm::Function* CloneInView(llvm::Function& function) {
  auto* clone =
      llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             function.getAddressSpace(), "", function.getParent());
  llvm::ValueToValueMapTy values;
  for (llvm::Argument& argument : function.args()) {
    llvm::Argument* copy = clone->getArg(argument.getArgNo());
    copy->setName(argument.getName());
    values[&argument] = copy;
  }
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(clone, &function, values, llvm::CloneFunctionChangeType::LocalChangesOnly,
                          returns);
  // A DIAssignID links a store to the variable it assigns, and must belong to one function only.
  llvm::DenseMap<llvm::DIAssignID*, llvm::DIAssignID*> assignments;
  for (llvm::Instruction& instruction : llvm::instructions(*clone)) {
    llvm::at::remapAssignID(assignments, instruction);
  }
  return clone;
}

}  // namespace firstcall
