#include "tests/differential/decoration.h"

#include <iterator>

#include "llvm/IR/Attributes.h"
#include "llvm/IR/Function.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Debugify.h"

namespace firstcall::testing {
namespace {

bool IsX86_64() { return llvm::Triple(llvm::sys::getProcessTriple()).isX86(); }

}  // namespace

std::vector<std::string> DecoratingOptions(uint32_t seed) {
  constexpr const char* kProtectors[] = {"-fstack-protector-all", "-fstack-protector-strong",
                                         "-fstack-protector"};
  return {"-g",
          kProtectors[seed % std::size(kProtectors)],
          "-fstack-clash-protection",
          "-fzero-call-used-regs=used-gpr",
          "-ftrivial-auto-var-init=pattern",
          IsX86_64() ? "-fcf-protection=full" : "-mbranch-protection=standard"};
}

void Decorate(llvm::Module& module, uint32_t seed) {
  constexpr llvm::Attribute::AttrKind kProtectors[] = {llvm::Attribute::StackProtectReq,
                                                       llvm::Attribute::StackProtectStrong,
                                                       llvm::Attribute::StackProtect};
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr(kProtectors[seed % std::size(kProtectors)]);
    function.addFnAttr("stack-protector-buffer-size", "8");
    function.addFnAttr("probe-stack", "inline-asm");
    function.addFnAttr("zero-call-used-regs", "used-gpr");
  }
  if (IsX86_64()) {
    module.addModuleFlag(llvm::Module::Override, "cf-protection-branch", 1);
    module.addModuleFlag(llvm::Module::Override, "cf-protection-return", 1);
  }
  llvm::applyDebugifyMetadata(module, module.functions(), "decorate: ", nullptr);
}

}  // namespace firstcall::testing
