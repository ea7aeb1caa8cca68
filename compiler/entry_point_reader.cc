#include "compiler/entry_point_reader.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "llvm/IR/Function.h"

namespace firstcall {

absl::StatusOr<EntryPoint> ReadEntryPoint(const llvm::GlobalValue& symbol) {
  const std::string name = symbol.getName().str();
  const auto* function = llvm::dyn_cast<llvm::Function>(&symbol);
  if (function == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry function '", name, "' is not a function"));
  }
  const llvm::FunctionType& type = *function->getFunctionType();
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry function '", name, "' cannot be called as main: ", what));
  };
  if (type.isVarArg()) return wrong("it takes variable arguments");
  if (type.getNumParams() > 3) return wrong("it takes more than three arguments");
  if (type.getNumParams() > 0 && !type.getParamType(0)->isIntegerTy(32)) {
    return wrong("its first argument is not an i32");
  }
  for (unsigned i = 1; i < type.getNumParams(); ++i) {
    if (!type.getParamType(i)->isPointerTy()) {
      return wrong(absl::StrCat("its argument ", i + 1, " is not a pointer"));
    }
  }
  const llvm::Type& result = *type.getReturnType();
  if (!result.isVoidTy() && !(result.isIntegerTy() && result.getIntegerBitWidth() <= 32)) {
    return wrong("it returns neither an integer of at most 32 bits nor nothing");
  }
  return EntryPoint(!result.isVoidTy());
}

}  // namespace firstcall
