#include "splitter/large_variables.h"

#include "base/string_ref.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/TargetParser/Triple.h"
#include "object/large_section.h"

namespace firstcall {
namespace {

bool IsEmitted(const llvm::GlobalVariable& variable) {
  return variable.hasInitializer() && !variable.hasAvailableExternallyLinkage() &&
         !variable.hasAppendingLinkage() && !variable.getName().starts_with("llvm.");
}

bool IsZero(const llvm::Constant& initializer) {
  return initializer.isNullValue() || llvm::isa<llvm::UndefValue>(initializer);
}

}  // namespace

bool IsDeclaredLarge(const llvm::GlobalVariable& variable) {
  if (variable.getCodeModel() == llvm::CodeModel::Large) return true;
  return variable.hasSection() && IsLargeSectionName(ToStringView(variable.getSection()));
}

void PlaceApart(llvm::GlobalVariable& variable) {
  const llvm::Triple triple(variable.getParent()->getTargetTriple());
  if (!IsEmitted(variable) || variable.isThreadLocal() || triple.isOSBinFormatMachO()) return;
  if (!variable.hasSection()) {
    const bool is_zero = IsZero(*variable.getInitializer());
    if (is_zero) variable.setConstant(false);
    variable.setSection(is_zero                 ? kLargeZeroSection
                        : variable.isConstant() ? kLargeConstantSection
                                                : kLargeDataSection);
  }
  if (variable.hasLocalLinkage() || variable.hasCommonLinkage()) {
    if (!variable.hasName()) variable.setName("large");
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
  variable.setDSOLocal(false);
}

void PlaceLargeVariablesApart(llvm::Module& module, uint64_t largest_near) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (IsEmitted(variable) && layout.getTypeAllocSize(variable.getValueType()) > largest_near) {
      PlaceApart(variable);
    }
  }
}

}  // namespace firstcall
