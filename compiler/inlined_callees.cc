#include "compiler/inlined_callees.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// The functions that the code of `module` calls directly, and does not only have for inlining.
// Sorted, each once.
std::vector<std::string> CalleesOf(const llvm::Module& module, bool only_with_body) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage()) continue;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr || callee == &function || callee->isIntrinsic()) continue;
      if (only_with_body && !callee->hasAvailableExternallyLinkage()) continue;
      names.push_back(callee->getName().str());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

InlinedCallees::InlinedCallees(const llvm::Module& module)
    : callees_(CalleesOf(module, /*only_with_body=*/true)) {}

std::vector<std::string> InlinedCallees::FindIn(const llvm::Module& module) const {
  const std::vector<std::string> left = CalleesOf(module, /*only_with_body=*/false);
  std::vector<std::string> inlined;
  std::set_difference(callees_.begin(), callees_.end(), left.begin(), left.end(),
                      std::back_inserter(inlined));
  for (std::string& name : inlined) name = std::string(absl::StripSuffix(name, kCallSuffix));
  return inlined;
}

}  // namespace firstcall
