#include "seam/symbol_index_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "object/symbol_name.h"
#include "seam/near_variables.h"

namespace firstcall {
namespace {

// Whether `name`, a global one, may be what a local name becomes: LocalSymbolName, and perhaps
// further `$`.
bool IsLikeLocalName(absl::string_view name) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] == '$') --end;
  const size_t behind_digits = end;
  while (end > 0 && absl::ascii_isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
  return end < behind_digits && end > 0 && name[end - 1] == '$';
}

}  // namespace

absl::Status SymbolIndexBuilder::Add(Symbol symbol) {
  const SymbolOrdinal ordinal{static_cast<uint32_t>(symbols_.size())};
  // Few names have the mark's first character.
  const bool may_have_mark = absl::StrContains(symbol.name, kReservedMark[0]);
  if (may_have_mark && absl::StrContains(symbol.name, kReservedMark)) {
    return absl::UnimplementedError(
        absl::StrCat("symbol '", symbol.name, "': names with '", kReservedMark, "' are reserved"));
  }
  if (symbol.is_local) {
    scratch_.clear();
    AppendLocalSymbolName(symbol.name, ordinal, scratch_);
    symbol.name = local_names_.Copy(scratch_);
  } else if (may_have_mark && IsLikeLocalName(symbol.name)) {
    like_local_names_.insert(symbol.name);
  }
  symbol.base = ordinal;
  if (symbol.kind == SymbolKind::kFunction && symbol.is_definition) ++index_.function_count_;
  symbols_.Add(symbol);
  return absl::OkStatus();
}

absl::Status SymbolIndexBuilder::ResolveAlias(SymbolOrdinal ordinal, SymbolOrdinal base,
                                              int64_t offset) {
  Symbol symbol = at(ordinal);
  symbol.base = base;
  symbol.offset = offset;
  symbol.size = at(base).size;
  symbols_.Set(ordinal, symbol);
  SetFlag(base, &Symbol::has_aliases);
  if (symbol.is_thread_local && symbol.offset != 0) {
    return absl::UnimplementedError(
        absl::StrCat("alias '", symbol.name, "': a part of a thread-local variable"));
  }
  return absl::OkStatus();
}

void SymbolIndexBuilder::MakeNamesUnique() {
  if (like_local_names_.empty()) return;
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    Symbol symbol = at(SymbolOrdinal{i});
    if (!symbol.is_local || !like_local_names_.contains(symbol.name)) continue;
    // Two local names differ in their ordinals, whatever else is appended.
    do {
      symbol.name = local_names_.Copy(absl::StrCat(symbol.name, "$"));
    } while (like_local_names_.contains(symbol.name));
    symbols_.Set(SymbolOrdinal{i}, symbol);
  }
}

void SymbolIndexBuilder::AddLikelyLocal(absl::string_view name, SymbolOrdinal ordinal) {
  if (!at(ordinal).is_local || name.empty()) return;
  index_.likely_locals_.emplace(std::string(name), ordinal);
}

void SymbolIndexBuilder::SetFlag(SymbolOrdinal ordinal, bool Symbol::*flag) {
  Symbol symbol = at(ordinal);
  symbol.*flag = true;
  symbols_.Set(ordinal, symbol);
}

// While groups are united, the smallest ordinal represents its group.
SymbolOrdinal SymbolIndexBuilder::Leader(SymbolOrdinal ordinal) const {
  for (auto it = leader_.find(ordinal); it != leader_.end(); it = leader_.find(ordinal)) {
    ordinal = it->second;
  }
  return ordinal;
}

void SymbolIndexBuilder::Unite(SymbolOrdinal a, SymbolOrdinal b) {
  const SymbolOrdinal leader_a = Leader(a), leader_b = Leader(b);
  grouped_.push_back(a);
  grouped_.push_back(b);
  if (leader_a != leader_b) leader_[std::max(leader_a, leader_b)] = std::min(leader_a, leader_b);
}

void SymbolIndexBuilder::NumberGroups() {
  std::sort(grouped_.begin(), grouped_.end());
  grouped_.erase(std::unique(grouped_.begin(), grouped_.end()), grouped_.end());
  // A leader is the first one of its group.
  for (SymbolOrdinal ordinal : grouped_) {
    const SymbolOrdinal leader = Leader(ordinal);
    if (leader == ordinal) index_.groups_.emplace_back();
    const auto own = static_cast<uint32_t>(index_.groups_.size() - 1);
    const uint32_t group = leader == ordinal ? own : index_.group_numbers_.at(leader);
    index_.group_numbers_.emplace(ordinal, group);
    index_.groups_[group].push_back(ordinal);
  }
}

absl::Status SymbolIndexBuilder::CheckComputed() const {
  if (!index_.has_groups()) return absl::OkStatus();
  for (uint32_t i = 0; i < symbols_.size(); ++i) {
    const Symbol symbol = at(SymbolOrdinal{i});
    if (!symbol.is_computed || index_.GroupOf(symbol.base).empty()) continue;
    return absl::UnimplementedError(
        absl::StrCat("variable '", symbol.name,
                     "': the address of a block together with the distance between functions"));
  }
  return absl::OkStatus();
}

void SymbolIndexBuilder::AddSection(absl::string_view section, bool is_divided) {
  if (!IsIdentifier(section) || !sections_.insert(std::string(section)).second) return;
  for (absl::string_view prefix : {kSectionStartPrefix, kSectionStopPrefix}) {
    index_.section_bounds_.push_back({absl::StrCat(prefix, section), is_divided});
  }
}

void SymbolIndexBuilder::SetLifecycle(std::vector<LifecycleFunction> constructors,
                                      std::vector<LifecycleFunction> destructors) {
  index_.constructors_ = std::move(constructors);
  index_.destructors_ = std::move(destructors);
}

uint64_t SymbolIndexBuilder::FindLargestNearVariable() const {
  std::vector<uint64_t> sizes;
  // Other symbols have no size.
  for (const SymbolDetails& details : symbols_.details()) {
    const Symbol symbol = at(SymbolOrdinal{details.ordinal});
    const bool is_variable = symbol.kind == SymbolKind::kVariable && symbol.is_definition;
    if (is_variable && !symbol.is_thread_local) sizes.push_back(symbol.size);
  }
  return LargestNearVariable(std::move(sizes));
}

SymbolIndex SymbolIndexBuilder::Finish() {
  index_.largest_near_variable_ = FindLargestNearVariable();
  index_.symbols_ = SymbolTable::Of(symbols_);
  const std::optional<SymbolOrdinal> roots = index_.Find(kShadowStackRoots);
  const bool has_roots = roots.has_value() && at(*roots).is_definition;
  index_.needs_shadow_stack_ = uses_shadow_stack_ && !has_roots;
  return std::move(index_);
}

}  // namespace firstcall
