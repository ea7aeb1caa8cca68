#include "splitter/object_name.h"

#include "absl/strings/str_cat.h"
#include "base/string_ref.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Mangler.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

bool HasMangledConvention(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::X86_VectorCall;
}

absl::string_view WithoutPrefix(llvm::StringRef name, const llvm::GlobalValue& value) {
  const absl::string_view view = ToStringView(name);
  return IsMacho(*value.getParent()) ? WithoutMachoPrefix(view) : view;
}

}  // namespace

bool IsMacho(const llvm::Module& module) { return module.getDataLayout().getGlobalPrefix() == '_'; }

std::string ObjectName(const llvm::GlobalValue& value) {
  const auto* function = llvm::dyn_cast_or_null<llvm::Function>(value.getAliaseeObject());
  if (function != nullptr && value.hasName() && HasMangledConvention(*function)) {
    llvm::SmallString<64> mangled;
    llvm::Mangler().getNameWithPrefix(mangled, &value, /*CannotUsePrivateLabel=*/true);
    return std::string(WithoutPrefix(mangled.str(), value));
  }
  llvm::StringRef name = value.getName();
  if (!name.consume_front("\1")) return name.str();
  return std::string(WithoutPrefix(name, value));
}

std::string IrName(absl::string_view object_name, const llvm::GlobalValue& original) {
  const auto* function = llvm::dyn_cast<llvm::Function>(&original);
  const bool is_changed = function != nullptr && HasMangledConvention(*function);
  const char* const mark = IsMacho(*original.getParent()) ? "\1_" : "\1";
  return absl::StrCat(is_changed ? mark : "", object_name);
}

}  // namespace firstcall
