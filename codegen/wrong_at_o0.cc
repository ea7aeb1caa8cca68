#include "codegen/wrong_at_o0.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace firstcall {
namespace {

bool IsWrongAtO0(const llvm::Function& function) {
  const bool is_hardened = function.hasFnAttribute(llvm::Attribute::SpeculativeLoadHardening);
  return llvm::any_of(function, [&](const llvm::BasicBlock& block) {
    const llvm::Instruction* end = block.getTerminator();
    return (llvm::isa<llvm::CallBrInst>(end) && !end->getType()->isVoidTy()) ||
           (is_hardened && llvm::isa<llvm::IndirectBrInst>(end));
  });
}

}  // namespace

bool IsWrongAtO0(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) { return IsWrongAtO0(function); });
}

}  // namespace firstcall
