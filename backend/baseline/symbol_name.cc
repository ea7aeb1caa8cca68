#include "backend/baseline/symbol_name.h"

#include "absl/strings/strip.h"
#include "object/symbol_name.h"

namespace firstcall::baseline {

absl::string_view SymbolNameOf(const ir::Global& global, const ir::DataLayout& layout) {
  absl::string_view name = global.name;
  if (!absl::ConsumePrefix(&name, "\1") || layout.symbol_prefix() != '_') return name;
  return WithoutMachoPrefix(name);
}

SymbolVisibility VisibilityOf(const ir::Global& global) {
  switch (global.visibility()) {
    case ir::Visibility::kHidden:
      return SymbolVisibility::kHidden;
    case ir::Visibility::kProtected:
      return SymbolVisibility::kProtected;
    case ir::Visibility::kDefault:
      break;
  }
  return SymbolVisibility::kDefault;
}

}  // namespace firstcall::baseline
