#include "base/inline_assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace firstcall {

bool HasInlineAssembly(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call != nullptr && call->isInlineAsm();
  });
}

bool HasInlineAssembly(const llvm::Module& module) {
  return !module.getModuleInlineAsm().empty() ||
         llvm::any_of(module,
                      [](const llvm::Function& function) { return HasInlineAssembly(function); });
}

}  // namespace firstcall
