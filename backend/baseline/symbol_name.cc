#include "backend/baseline/symbol_name.h"

#include "absl/strings/string_view.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall::baseline {

llvm::StringRef SymbolNameOf(const llvm::GlobalValue& global) {
  llvm::StringRef name = global.getName();
  if (!name.consume_front("\1")) return name;
  if (global.getParent()->getDataLayout().getGlobalPrefix() != '_') return name;
  const absl::string_view own = WithoutMachoPrefix({name.data(), name.size()});
  return {own.data(), own.size()};
}

}  // namespace firstcall::baseline
