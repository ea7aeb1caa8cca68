#include "splitter/large_variables.h"

#include <algorithm>

#include "base/string_ref.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/TargetParser/Triple.h"
#include "object/large_section.h"

namespace firstcall {
namespace {

// A larger variable is always out of reach.
constexpr uint64_t kMostBytesOfOne = 16 << 20;

// What all near variables of a module may have together: the default arena has room for the data of
// sixteen such modules.
constexpr uint64_t kMostBytesOfAll = 64 << 20;

bool IsEmitted(const llvm::GlobalVariable& variable) {
  return variable.hasInitializer() && !variable.hasAvailableExternallyLinkage() &&
         !variable.hasAppendingLinkage() && !variable.getName().starts_with("llvm.");
}

bool IsZero(const llvm::Constant& initializer) {
  return initializer.isNullValue() || llvm::isa<llvm::UndefValue>(initializer);
}

}  // namespace

uint64_t LargestNearVariable(std::vector<uint64_t> sizes) {
  std::sort(sizes.begin(), sizes.end());
  uint64_t sum = 0;
  uint64_t largest = 0;
  for (size_t i = 0; i < sizes.size() && sizes[i] <= kMostBytesOfOne; ++i) {
    sum += sizes[i];
    if (sum > kMostBytesOfAll) return largest;
    // All variables of one size are treated alike.
    if (i + 1 == sizes.size() || sizes[i + 1] != sizes[i]) largest = sizes[i];
  }
  return kMostBytesOfOne;
}

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
