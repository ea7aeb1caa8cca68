#include "compiler/loaded_module.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/Casting.h"

namespace firstcall {
namespace {

SymbolKind KindOf(const llvm::GlobalValue& value) {
  if (llvm::isa<llvm::GlobalVariable>(value)) return SymbolKind::kVariable;
  if (llvm::isa<llvm::Function>(value)) return SymbolKind::kFunction;
  return llvm::isa<llvm::GlobalAlias>(value) ? SymbolKind::kAlias : SymbolKind::kIFunc;
}

}  // namespace

absl::StatusOr<std::shared_ptr<ModuleView>> LoadedModule::OpenView() const {
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<ModuleView> view, source_->OpenView());
  if (view->symbol_count() < index_->size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("reading '", source_->name(), "': LLVM finds ", view->symbol_count(),
                     " symbols in the module, whose index has ", index_->size()));
  }
  for (uint32_t i = 0; i < index_->size(); ++i) {
    const SymbolOrdinal ordinal{i};
    if (KindOf(view->symbol(ordinal)) == index_->at(ordinal).kind) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("reading '", source_->name(), "': what LLVM finds in place of '",
                     index_->at(ordinal).name, "' is of another kind than the index says"));
  }
  return view;
}

}  // namespace firstcall
