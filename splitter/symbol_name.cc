#include "splitter/symbol_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Mangler.h"

namespace firstcall {
namespace {

bool HasMangledConvention(const llvm::Function& function) {
  return function.getCallingConv() == llvm::CallingConv::X86_VectorCall;
}

}  // namespace

bool IsIdentifier(absl::string_view section) {
  return !section.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(section[0])) &&
         std::all_of(section.begin(), section.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

SymbolReference ParseReference(absl::string_view object_name) {
  SymbolReference reference;
  reference.name = object_name;
  if (absl::ConsumeSuffix(&reference.name, kStubSuffix)) {
    reference.kind = ReferenceKind::kStub;
  } else if (absl::ConsumeSuffix(&reference.name, kCallSuffix)) {
    reference.kind = ReferenceKind::kCall;
  } else if (absl::ConsumeSuffix(&reference.name, kHeatSuffix)) {
    reference.kind = ReferenceKind::kHeat;
  }
  return reference;
}

std::string LocalSymbolName(absl::string_view name, SymbolOrdinal ordinal) {
  // Assemblers treat a name that begins with .L as a temporary label, and drop it.
  return absl::StrCat(absl::StartsWith(name, ".L") ? "$" : "", name, "$", ordinal.value);
}

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
