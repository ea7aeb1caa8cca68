#include "seam/symbol_index.h"

#include <algorithm>

#include "absl/base/call_once.h"
#include "absl/strings/match.h"
#include "object/symbol_name.h"

namespace firstcall {

std::optional<SymbolOrdinal> SymbolIndex::FindLocal(absl::string_view name) const {
  auto found = likely_locals_.find(name);
  if (found == likely_locals_.end()) return std::nullopt;
  return found->second;
}

std::optional<SymbolOrdinal> SymbolIndex::FindUnlikelyLocal(absl::string_view name) const {
  for (uint32_t i = 0; i < size(); ++i) {
    const SymbolOrdinal ordinal{i};
    const Symbol symbol = at(ordinal);
    if (symbol.is_local && absl::StartsWith(symbol.name, name) &&
        symbol.name == LocalSymbolName(name, ordinal)) {
      return ordinal;
    }
  }
  return std::nullopt;
}

std::optional<SymbolOrdinal> SymbolIndex::KeeperOf(SymbolOrdinal base,
                                                   IsReplaced is_replaced) const {
  if (!at(base).has_aliases) return std::nullopt;
  absl::call_once(whole_aliases_->once, [&] {
    for (uint32_t i = 0; i < size(); ++i) {
      const SymbolOrdinal ordinal{i};
      const Symbol symbol = at(ordinal);
      if (symbol.kind == SymbolKind::kAlias && symbol.offset == 0 && symbol.is_definition) {
        whole_aliases_->by_base[symbol.base].push_back(ordinal);
      }
    }
  });
  const auto aliases = whole_aliases_->by_base.find(base);
  if (aliases == whole_aliases_->by_base.end()) return std::nullopt;
  for (SymbolOrdinal alias : aliases->second) {
    if (!(at(alias).is_weak && is_replaced(alias))) return alias;
  }
  return std::nullopt;
}

const AssemblySymbol* SymbolIndex::FindAssemblySymbol(absl::string_view name) const {
  const auto found =
      std::find_if(assembly_symbols_.begin(), assembly_symbols_.end(),
                   [&](const AssemblySymbol& symbol) { return symbol.name == name; });
  return found == assembly_symbols_.end() ? nullptr : &*found;
}

bool SymbolIndex::IsWeakInAssembly(absl::string_view name) const {
  return std::find(weak_in_assembly_.begin(), weak_in_assembly_.end(), name) !=
         weak_in_assembly_.end();
}

absl::Span<const SymbolOrdinal> SymbolIndex::GroupOf(SymbolOrdinal ordinal) const {
  const auto found = group_numbers_.find(ordinal);
  if (found == group_numbers_.end()) return {};
  return groups_[found->second];
}

}  // namespace firstcall
