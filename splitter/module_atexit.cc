#include "splitter/module_atexit.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace firstcall {

void DefineAtexit(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* status = llvm::Type::getInt32Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* function = llvm::dyn_cast<llvm::Function>(
      module.getOrInsertFunction(llvm::StringRef(kAtexit.data(), kAtexit.size()), status, pointer)
          .getCallee());
  // A program that declares atexit with another type gets no definition, and the C library's own.
  if (function == nullptr || !function->isDeclaration() ||
      function->getFunctionType() != llvm::FunctionType::get(status, {pointer}, false)) {
    return;
  }
  llvm::FunctionCallee register_handler =
      module.getOrInsertFunction("__cxa_atexit", status, pointer, pointer, pointer);
  llvm::Constant* handle = module.getOrInsertGlobal(
      llvm::StringRef(kDsoHandle.data(), kDsoHandle.size()), llvm::Type::getInt8Ty(context));
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  // The handler is called with the null as an argument, which every ABI lets it ignore.
  llvm::Value* result = builder.CreateCall(
      register_handler,
      {function->getArg(0), llvm::ConstantPointerNull::get(builder.getPtrTy()), handle});
  builder.CreateRet(result);
}

}  // namespace firstcall
