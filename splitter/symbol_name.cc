#include "splitter/symbol_name.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace firstcall {

SymbolReference ParseReference(absl::string_view object_name) {
  SymbolReference reference;
  reference.name = object_name;
  if (absl::ConsumeSuffix(&reference.name, kStubSuffix)) {
    reference.kind = ReferenceKind::kStub;
  } else if (absl::ConsumeSuffix(&reference.name, kCallSuffix)) {
    reference.kind = ReferenceKind::kCall;
  }
  return reference;
}

std::string LocalSymbolName(absl::string_view name, SymbolOrdinal ordinal) {
  // Assemblers take a name that starts with .L for a label of their own and drop it.
  return absl::StrCat(absl::StartsWith(name, ".L") ? "$" : "", name, "$", ordinal.value);
}

absl::string_view WithoutManglingMark(absl::string_view ir_name) {
  absl::ConsumePrefix(&ir_name, "\1");
  return ir_name;
}

}  // namespace firstcall
