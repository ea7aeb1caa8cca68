#include "splitter/module_skeleton.h"

#include "llvm/IR/Constants.h"
#include "third_party/llvm/version/debug_metadata.h"

namespace firstcall {

std::unique_ptr<llvm::Module> MakeModuleLike(const ModuleView& view, llvm::StringRef identifier) {
  const llvm::Module& original = view.module();
  auto made = std::make_unique<llvm::Module>(identifier, view.context());
  made->setSourceFileName(original.getSourceFileName());
  made->setTargetTriple(original.getTargetTriple());
  made->setDataLayout(original.getDataLayout());
  llvm_version::KeepPlacesAs(original, *made);
  llvm::SmallVector<llvm::Module::ModuleFlagEntry, 8> flags;
  original.getModuleFlagsMetadata(flags);
  for (const llvm::Module::ModuleFlagEntry& flag : flags) {
    // The call-graph profile names every function, and only guides a static linker's layout.
    if (flag.Key->getString() == "CG Profile") continue;
    made->addModuleFlag(flag.Behavior, flag.Key->getString(), flag.Val);
  }
  return made;
}

llvm::GlobalVariable& DeclareMoved(const llvm::GlobalVariable& original, llvm::StringRef name,
                                   llvm::Module& target) {
  auto* moved = new llvm::GlobalVariable(target, original.getValueType(), original.isConstant(),
                                         llvm::GlobalValue::ExternalLinkage,
                                         /*Initializer=*/nullptr, name, /*InsertBefore=*/nullptr,
                                         original.getThreadLocalMode(), original.getAddressSpace());
  moved->copyAttributesFrom(&original);
  moved->setVisibility(llvm::GlobalValue::DefaultVisibility);
  moved->setDSOLocal(true);
  llvm::SmallVector<llvm::MDNode*, 1> debug_info;
  original.getMetadata(llvm::LLVMContext::MD_dbg, debug_info);
  for (llvm::MDNode* node : debug_info) moved->addMetadata(llvm::LLVMContext::MD_dbg, *node);
  return *moved;
}

void MoveInitializer(llvm::GlobalVariable& original, llvm::GlobalVariable& moved,
                     ReferenceMapper& mapper) {
  moved.setInitializer(mapper.Map(*original.getInitializer()));
  original.setInitializer(nullptr);
  original.setLinkage(llvm::GlobalValue::ExternalLinkage);
  original.setComdat(nullptr);
}

}  // namespace firstcall
