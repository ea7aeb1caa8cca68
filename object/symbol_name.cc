#include "object/symbol_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace firstcall {
bool IsIdentifier(absl::string_view section) {
  return !section.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(section[0])) &&
         std::all_of(section.begin(), section.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

absl::string_view WithoutMachoPrefix(absl::string_view name) {
  // A name that is nothing but the underscore would become empty.
  return name.size() > 1 ? absl::StripPrefix(name, "_") : name;
}

SymbolReference ParseReference(absl::string_view object_name) {
  SymbolReference reference;
  reference.name = object_name;
  if (absl::ConsumeSuffix(&reference.name, kStubSuffix)) {
    reference.kind = ReferenceKind::kStub;
  } else if (absl::ConsumeSuffix(&reference.name, kCallSuffix)) {
    reference.kind = ReferenceKind::kCall;
  } else if (absl::ConsumeSuffix(&reference.name, kTableSuffix)) {
    reference.kind = ReferenceKind::kTable;
  } else if (absl::ConsumeSuffix(&reference.name, kHotnessSuffix)) {
    reference.kind = ReferenceKind::kHotness;
  }
  return reference;
}

absl::string_view WithoutOrdinal(absl::string_view name) {
  size_t begin = name.size();
  while (begin > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  const bool has_ordinal = begin < name.size() && begin > 1 && name[begin - 1] == '$';
  return has_ordinal ? name.substr(0, begin - 1) : name;
}

std::string LocalSymbolName(absl::string_view name, SymbolOrdinal ordinal) {
  std::string result;
  AppendLocalSymbolName(name, ordinal, result);
  return result;
}

void AppendLocalSymbolName(absl::string_view name, SymbolOrdinal ordinal, std::string& result) {
  // Assemblers treat a name that begins with .L as a temporary label, and drop it.
  absl::StrAppend(&result, absl::StartsWith(name, ".L") ? "$" : "", name, "$", ordinal.value);
}

}  // namespace firstcall
