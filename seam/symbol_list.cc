#include "seam/symbol_list.h"

#include <algorithm>

namespace firstcall {
namespace {

bool NeedsDetails(const Symbol& symbol, uint32_t ordinal) {
  return symbol.base.value != ordinal || symbol.offset != 0 || symbol.size != 0;
}

bool IsBefore(const SymbolDetails& details, uint32_t ordinal) { return details.ordinal < ordinal; }

}  // namespace

void SymbolList::Add(const Symbol& symbol) {
  const auto ordinal = static_cast<uint32_t>(rows_.size());
  rows_.push_back(
      {symbol.name.data(), static_cast<uint32_t>(symbol.name.size()), SymbolFlagsOf(symbol)});
  if (!NeedsDetails(symbol, ordinal)) return;
  details_.push_back({ordinal, symbol.base.value, symbol.offset, symbol.size});
}

std::vector<SymbolDetails>::iterator SymbolList::FindDetails(uint32_t ordinal) {
  return std::lower_bound(details_.begin(), details_.end(), ordinal, IsBefore);
}

void SymbolList::Set(SymbolOrdinal ordinal, const Symbol& symbol) {
  rows_[ordinal.value] = {symbol.name.data(), static_cast<uint32_t>(symbol.name.size()),
                          SymbolFlagsOf(symbol)};
  auto place = FindDetails(ordinal.value);
  const bool has_details = place != details_.end() && place->ordinal == ordinal.value;
  if (!NeedsDetails(symbol, ordinal.value)) {
    if (has_details) details_.erase(place);
    return;
  }
  if (!has_details) place = details_.insert(place, SymbolDetails());
  *place = {ordinal.value, symbol.base.value, symbol.offset, symbol.size};
}

Symbol SymbolList::at(SymbolOrdinal ordinal) const {
  Symbol symbol;
  symbol.name = NameAt(ordinal);
  symbol.base = ordinal;
  SetSymbolFlags(FlagsAt(ordinal), symbol);
  const auto place = std::lower_bound(details_.begin(), details_.end(), ordinal.value, IsBefore);
  if (place == details_.end() || place->ordinal != ordinal.value) return symbol;
  symbol.base.value = place->base;
  symbol.offset = place->offset;
  symbol.size = place->size;
  return symbol;
}

}  // namespace firstcall
