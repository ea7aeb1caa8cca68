#include "code/symbol_index.h"

#include "absl/strings/match.h"
#include "code/symbol_name.h"

namespace firstcall {

std::optional<SymbolOrdinal> SymbolIndex::Find(absl::string_view name) const {
  auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<SymbolOrdinal> SymbolIndex::FindLocal(absl::string_view name) const {
  auto found = likely_locals_.find(name);
  if (found == likely_locals_.end()) return std::nullopt;
  return found->second;
}

std::optional<SymbolOrdinal> SymbolIndex::FindUnlikelyLocal(absl::string_view name) const {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    const SymbolOrdinal ordinal{static_cast<uint32_t>(i)};
    if (symbols_[i].is_local && absl::StartsWith(symbols_[i].name, name) &&
        symbols_[i].name == LocalSymbolName(name, ordinal)) {
      return ordinal;
    }
  }
  return std::nullopt;
}

absl::Span<const SymbolOrdinal> SymbolIndex::GroupOf(SymbolOrdinal ordinal) const {
  auto found = groups_.find(ordinal);
  if (found == groups_.end()) return {};
  return found->second;
}

}  // namespace firstcall
