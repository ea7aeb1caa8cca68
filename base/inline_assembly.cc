#include "base/inline_assembly.h"

#include "base/assembly_text.h"
#include "base/string_ref.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/Casting.h"

namespace firstcall {

bool IsInlineAssembly(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const auto* assembly =
      call == nullptr ? nullptr : llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
  return assembly != nullptr && !IsEmptyAssembly(ToStringView(assembly->getAsmString()));
}

bool HasInlineAssembly(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), IsInlineAssembly);
}

bool HasInlineAssembly(const llvm::Module& module) {
  return !module.getModuleInlineAsm().empty() ||
         llvm::any_of(module,
                      [](const llvm::Function& function) { return HasInlineAssembly(function); });
}

}  // namespace firstcall
