#include "splitter/section_names.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"

namespace firstcall {

bool HasSectionName(const llvm::GlobalVariable& variable) {
  return variable.hasSection() || variable.hasImplicitSection();
}

llvm::SmallVector<llvm::StringRef, 2> SectionNames(const llvm::GlobalVariable& variable) {
  if (variable.hasSection()) return {variable.getSection()};
  llvm::SmallVector<llvm::StringRef, 2> names;
  const auto add = [&](llvm::StringRef attribute) {
    const llvm::StringRef name = variable.getAttribute(attribute).getValueAsString();
    if (!name.empty() && !llvm::is_contained(names, name)) names.push_back(name);
  };
  if (!variable.hasImplicitSection()) return names;
  if (variable.isConstant()) {
    add("rodata-section");
    add("relro-section");
  } else {
    add(variable.getInitializer()->isNullValue() ? "bss-section" : "data-section");
  }
  return names;
}

}  // namespace firstcall
