#include "splitter/object_name.h"

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Mangler.h"

namespace firstcall {
namespace {

bool HasMangledConvention(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::X86_VectorCall;
}

}  // namespace

std::string ObjectName(const llvm::GlobalValue& value) {
  const auto* function = llvm::dyn_cast_or_null<llvm::Function>(value.getAliaseeObject());
  if (function != nullptr && value.hasName() && HasMangledConvention(*function)) {
    llvm::SmallString<64> mangled;
    llvm::Mangler().getNameWithPrefix(mangled, &value, /*CannotUsePrivateLabel=*/true);
    return mangled.str().str();
  }
  llvm::StringRef name = value.getName();
  name.consume_front("\1");
  return name.str();
}

std::string IrName(absl::string_view object_name, const llvm::GlobalValue& original) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&original);
  const bool is_changed = function != nullptr && HasMangledConvention(*function);
  return absl::StrCat(is_changed ? "\1" : "", object_name);
}

}  // namespace firstcall
