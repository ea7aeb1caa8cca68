#include "backend/object_identification.h"

#include "backend/identification_text.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

namespace firstcall {

void AddIdentification(llvm::Module& module, const Identification& identification) {
  llvm::LLVMContext& context = module.getContext();
  module.getOrInsertNamedMetadata("llvm.ident")
      ->addOperand(llvm::MDNode::get(
          context, llvm::MDString::get(context, IdentificationText(identification))));
}

}  // namespace firstcall
