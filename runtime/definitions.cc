#include "runtime/definitions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "code/symbol_name.h"

namespace firstcall {
namespace {

bool IsOlder(const Definition& a, const Definition& b) { return a.order < b.order; }

const std::string& NameOf(const Definition& definition) {
  return definition.module != nullptr ? definition.module->name() : definition.object->name;
}

}  // namespace

LibraryId Definitions::LibraryNamed(absl::string_view name) {
  absl::MutexLock lock(&mutex_);
  uint32_t i = 0;
  while (i < libraries_.size() && libraries_[i].name != name) ++i;
  if (i == libraries_.size()) libraries_.push_back({std::string(name), {}, {}});
  return LibraryId{i};
}

std::vector<Definitions::Named> Definitions::AllOf(SourceModule& module) {
  std::vector<Named> all;
  const SymbolIndex& index = module.index();
  for (uint32_t i = 0; i < index.size(); ++i) {
    const Symbol& symbol = index.at(SymbolOrdinal{i});
    if (!symbol.is_definition || symbol.is_local) continue;
    all.push_back(
        {symbol.name, {&module, SymbolOrdinal{i}, nullptr, symbol.is_weak, symbol.is_hidden}});
  }
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    if (!symbol.is_global) continue;
    all.push_back({symbol.name, {nullptr, SymbolOrdinal(), &module.object(), false, false}});
  }
  if (index.needs_shadow_stack()) {
    Definition definition;
    definition.object = &module.object();
    definition.is_weak = true;
    all.push_back({kShadowStackRoots, definition});
  }
  for (const std::string& bound : index.section_bounds()) {
    Definition definition;
    definition.object = &module.object();
    definition.is_weak = definition.is_hidden = definition.is_section_bound = true;
    all.push_back({bound, definition});
  }
  return all;
}

absl::Status Definitions::Add(SourceModule& module) {
  return AddAll(module.library(), AllOf(module));
}

absl::Status Definitions::Add(LazyObject& object, absl::Span<const ElfObject::Definition> symbols,
                              bool is_fallback) {
  std::vector<Named> all;
  for (const ElfObject::Definition& symbol : symbols) {
    all.push_back(
        {symbol.name,
         {nullptr, SymbolOrdinal(), &object, symbol.is_weak || is_fallback, symbol.is_hidden}});
  }
  return AddAll(object.library, all);
}

absl::Status Definitions::AddAll(LibraryId library, absl::Span<const Named> all) {
  absl::MutexLock lock(&mutex_);
  ByName& by_name = libraries_[library.value].by_name;
  for (const Named& added : all) {
    auto found = by_name.find(added.name);
    if (found != by_name.end() && !found->second.is_weak && !added.definition.is_weak) {
      return absl::AlreadyExistsError(absl::StrCat("symbol '", added.name, "' is defined both by '",
                                                   NameOf(found->second), "' and by '",
                                                   NameOf(added.definition), "'"));
    }
  }
  // Not at each call: for many modules of one function that would take quadratic time.
  if (all.size() > by_name.size()) by_name.reserve(by_name.size() + all.size());
  for (const Named& added : all) {
    Definition definition = added.definition;
    definition.order = next_order_++;
    Enter(libraries_[library.value], added.name, definition);
  }
  return absl::OkStatus();
}

void Definitions::Enter(Library& library, absl::string_view name, const Definition& definition) {
  auto [entry, is_new] = library.by_name.try_emplace(name, definition);
  if (is_new) return;
  Definition& present = entry->second;
  const bool wins = present.is_weak && !definition.is_weak;
  if (!wins && present.is_section_bound && definition.is_section_bound) present.is_ambiguous = true;
  const Definition loser = wins ? std::exchange(present, definition) : definition;
  std::vector<Definition>& others = library.others[name];
  others.insert(std::upper_bound(others.begin(), others.end(), loser, IsOlder), loser);
}

void Definitions::Remove(SourceModule& module) {
  const std::vector<Named> all = AllOf(module);
  absl::MutexLock lock(&mutex_);
  Library& library = libraries_[module.library().value];
  const auto is_removed = [&](const Definition& definition) {
    return definition.module == &module || definition.object == &module.object();
  };
  for (const Named& removed : all) {
    auto entry = library.by_name.find(removed.name);
    if (entry == library.by_name.end()) continue;
    std::vector<Definition> left;
    if (!is_removed(entry->second)) left.push_back(entry->second);
    if (auto others = library.others.find(removed.name); others != library.others.end()) {
      std::remove_copy_if(others->second.begin(), others->second.end(), std::back_inserter(left),
                          is_removed);
      library.others.erase(others);
    }
    library.by_name.erase(entry);
    for (Definition& definition : left) {
      definition.is_ambiguous = false;
      Enter(library, removed.name, definition);
    }
  }
}

std::optional<Definition> Definitions::Find(absl::string_view name, LibraryId library) const {
  absl::ReaderMutexLock lock(&mutex_);
  const Library& own = libraries_[library.value];
  if (auto found = own.by_name.find(name); found != own.by_name.end()) return found->second;
  for (const Library& other : libraries_) {
    if (&other == &own) continue;
    auto found = other.by_name.find(name);
    if (found != other.by_name.end() && !found->second.is_hidden) return found->second;
  }
  return std::nullopt;
}

}  // namespace firstcall
