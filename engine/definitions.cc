#include "engine/definitions.h"

#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

const std::string& NameOf(const Definition& definition) {
  return definition.module != nullptr ? definition.module->name() : definition.object->name;
}

}  // namespace

absl::Status Definitions::Add(SourceModule& module) {
  std::vector<Named> all;
  const SymbolIndex& index = module.index();
  for (uint32_t i = 0; i < index.size(); ++i) {
    const Symbol& symbol = index.at(SymbolOrdinal{i});
    if (!symbol.is_definition || symbol.is_local) continue;
    all.push_back({symbol.name, {&module, SymbolOrdinal{i}, nullptr, symbol.is_weak}});
  }
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    if (!symbol.is_global) continue;
    all.push_back({symbol.name, {nullptr, SymbolOrdinal(), &module.object(), false}});
  }
  return AddAll(all);
}

absl::Status Definitions::Add(LazyObject& object, absl::Span<const absl::string_view> names,
                              bool is_fallback) {
  std::vector<Named> all;
  for (absl::string_view name : names) {
    all.push_back({name, {nullptr, SymbolOrdinal(), &object, is_fallback}});
  }
  return AddAll(all);
}

absl::Status Definitions::AddAll(absl::Span<const Named> all) {
  absl::MutexLock lock(&mutex_);
  for (const Named& added : all) {
    auto found = by_name_.find(added.name);
    if (found != by_name_.end() && !found->second.is_weak && !added.definition.is_weak) {
      return absl::AlreadyExistsError(absl::StrCat("symbol '", added.name, "' is defined both by '",
                                                   NameOf(found->second), "' and by '",
                                                   NameOf(added.definition), "'"));
    }
  }
  by_name_.reserve(by_name_.size() + all.size());
  for (const Named& added : all) {
    auto [entry, is_new] = by_name_.try_emplace(added.name, added.definition);
    if (!is_new && entry->second.is_weak && !added.definition.is_weak) {
      entry->second = added.definition;
    }
  }
  return absl::OkStatus();
}

std::optional<Definition> Definitions::Find(absl::string_view name) const {
  absl::ReaderMutexLock lock(&mutex_);
  auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

}  // namespace firstcall
