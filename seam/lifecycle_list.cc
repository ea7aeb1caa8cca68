#include "seam/lifecycle_list.h"

#include <algorithm>

namespace firstcall {

std::vector<SymbolOrdinal>* LifecycleList::FunctionsOf(absl::string_view section,
                                                       std::optional<SymbolOrdinal> own) {
  const std::optional<LifecycleSection> properties = FindLifecycleSection(section, phase_);
  if (!properties) return nullptr;
  const auto [number, is_new] =
      numbers_.try_emplace({section, own ? own->value : UINT32_MAX}, sections_.size());
  if (is_new) sections_.push_back({*properties, {}});
  return &sections_[number->second].functions;
}

std::vector<LifecycleFunction> LifecycleList::Take() && {
  std::vector<LifecycleFunction> list;
  for (Section& section : sections_) {
    std::vector<SymbolOrdinal>& functions = section.functions;
    if (section.properties.is_reversed) std::reverse(functions.begin(), functions.end());
    for (SymbolOrdinal function : functions)
      list.push_back({section.properties.priority, function});
  }
  list.insert(list.end(), entries_.begin(), entries_.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const LifecycleFunction& a, const LifecycleFunction& b) {
                     return a.priority < b.priority;
                   });
  if (phase_ == LifecyclePhase::kEnd) std::reverse(list.begin(), list.end());
  return list;
}

}  // namespace firstcall
