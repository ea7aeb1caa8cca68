#include "splitter/module_atexit.h"

#include "base/string_ref.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall {

void DefineAtexit(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* status = llvm::Type::getInt32Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* function = llvm::dyn_cast<llvm::Function>(
      module.getOrInsertFunction(ToStringRef(kAtexit), status, pointer).getCallee());
  // If a program declares atexit with another type, no definition is made, and the C library's is
  // used.
  if (function == nullptr || !function->isDeclaration() ||
      function->getFunctionType() != llvm::FunctionType::get(status, {pointer}, false)) {
    return;
  }
  llvm::FunctionCallee register_handler =
      module.getOrInsertFunction("__cxa_atexit", status, pointer, pointer, pointer);
  llvm::Constant* handle =
      module.getOrInsertGlobal(ToStringRef(kDsoHandle), llvm::Type::getInt8Ty(context));
  // clang describes declarations in optimized code, without the unit that a definition needs.
  function->setSubprogram(nullptr);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  // The handler is called with this null as an argument; every ABI lets it ignore arguments.
  llvm::Value* result = builder.CreateCall(
      register_handler,
      {function->getArg(0), llvm::ConstantPointerNull::get(builder.getPtrTy()), handle});
  builder.CreateRet(result);
}

}  // namespace firstcall
