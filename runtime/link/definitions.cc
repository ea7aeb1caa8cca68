#include "runtime/link/definitions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// A module with fewer symbols is not large: entering them takes a few microseconds.
constexpr size_t kFewestSymbols = 64;
// Each of them is asked for each name that is looked for.
constexpr size_t kMostLargeModules = 4;

bool IsOlder(const Definition& a, const Definition& b) { return a.order < b.order; }

const std::string& DefinerOf(const Definition& definition) {
  return definition.module != nullptr ? definition.module->name() : definition.object->name;
}

// The definition that a module's symbol is, if others can name it.
std::optional<Definition> DefinitionOf(SourceModule& module, SymbolOrdinal ordinal) {
  const Symbol symbol = module.index().at(ordinal);
  if (!symbol.is_definition || symbol.is_local) return std::nullopt;
  Definition definition{&module,        ordinal,          nullptr,
                        symbol.is_weak, symbol.is_hidden, symbol.is_thread_local};
  if (symbol.is_common) definition.common_size = symbol.size;
  return definition;
}

}  // namespace

Definitions::Definitions(bool search_other_libraries)
    : search_other_libraries_(search_other_libraries) {
  LibraryNamed("");
}

LibraryId Definitions::LibraryNamed(absl::string_view name) {
  absl::MutexLock lock(&mutex_);
  const LibraryId next = {static_cast<uint32_t>(library_names_.size())};
  const auto [entry, is_new] = library_ids_.try_emplace(name, next);
  if (is_new) library_names_.push_back(entry->first);
  return entry->second;
}

absl::string_view Definitions::NameOf(LibraryId library) const {
  absl::MutexLock lock(&mutex_);
  return library_names_[library.value];
}

// What the IR of `module` defines.
std::vector<Definitions::Named> Definitions::OfSymbols(SourceModule& module) {
  std::vector<Named> all;
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const SymbolOrdinal ordinal{i};
    if (const std::optional<Definition> definition = DefinitionOf(module, ordinal)) {
      all.push_back({module.index().at(ordinal).name, *definition});
    }
  }
  return all;
}

// What the object of its data defines besides.
std::vector<Definitions::Named> Definitions::OfObject(SourceModule& module) {
  std::vector<Named> all;
  const SymbolIndex& index = module.index();
  for (const AssemblySymbol& symbol : index.assembly_symbols()) {
    if (!symbol.is_global) continue;
    Definition definition{nullptr, SymbolOrdinal(), &module.object(), symbol.is_weak,
                          symbol.is_hidden};
    definition.common_size = symbol.common_size;
    all.push_back({symbol.name, definition});
  }
  if (index.needs_shadow_stack()) {
    Definition definition;
    definition.object = &module.object();
    definition.is_weak = true;
    all.push_back({kShadowStackRoots, definition});
  }
  for (const SectionBound& bound : index.section_bounds()) {
    Definition definition;
    definition.object = &module.object();
    definition.is_weak = definition.is_hidden = definition.is_section_bound = true;
    if (bound.is_divided && module.mode() == Mode::kLazy) {
      definition.refusal = "a variable in that section holds addresses of blocks";
    }
    all.push_back({bound.name, definition});
  }
  for (const std::string& table : index.collector_tables()) {
    Definition definition;
    definition.object = &module.object();
    definition.is_weak = definition.is_hidden = definition.is_section_bound = true;
    if (module.mode() == Mode::kLazy) {
      definition.refusal =
          "each function has a table of its own for the garbage collector; in eager mode there is "
          "one for the module";
    }
    all.push_back({table, definition});
  }
  return all;
}

std::optional<Definition> Definitions::FindIn(const LargeModule& large, absl::string_view name) {
  const std::optional<SymbolOrdinal> ordinal = large.module->index().Find(name);
  if (!ordinal) return std::nullopt;
  std::optional<Definition> definition = DefinitionOf(*large.module, *ordinal);
  if (definition) definition->order = large.order + ordinal->value;
  return definition;
}

std::optional<Definition> Definitions::FindIn(const Library& library, absl::string_view name) {
  if (auto found = library.by_name.find(name); found != library.by_name.end()) {
    return found->second;
  }
  for (const LargeModule& large : library.large_modules) {
    if (std::optional<Definition> found = FindIn(large, name)) return found;
  }
  return std::nullopt;
}

// The definitions of `added`, a module that is not yet in the library, whose names the library
// defines, too. Takes time in proportion to the smaller side of each comparison.
std::vector<Definitions::Named> Definitions::SharedWith(const Library& library,
                                                        const LargeModule& added) {
  absl::flat_hash_map<absl::string_view, Definition> shared;
  const auto compare = [&](absl::string_view name) {
    const std::optional<Definition> definition = FindIn(added, name);
    if (definition) shared.emplace(name, *definition);
  };
  const size_t size = added.module->index().size();
  const auto compare_own = [&](auto defines) {
    for (const Named& own : OfSymbols(*added.module)) {
      if (defines(own.name)) compare(own.name);
    }
  };
  if (library.by_name.size() <= size) {
    for (const auto& [name, definition] : library.by_name) compare(name);
  } else {
    compare_own([&](absl::string_view name) { return library.by_name.contains(name); });
  }
  for (const LargeModule& large : library.large_modules) {
    if (large.module->index().size() <= size) {
      for (const Named& other : OfSymbols(*large.module)) compare(other.name);
    } else {
      compare_own([&](absl::string_view name) { return FindIn(large, name).has_value(); });
    }
  }
  std::vector<Named> result;
  for (const auto& [name, definition] : shared) result.push_back({name, definition});
  return result;
}

absl::Status Definitions::Add(SourceModule& module) {
  absl::MutexLock lock(&mutex_);
  const Library& present = LibraryOf(module.library());
  const LargeModule large = {&module, next_order_};
  const bool is_large =
      module.index().size() >= kFewestSymbols && present.large_modules.size() < kMostLargeModules;
  const std::vector<Named> symbols = is_large ? SharedWith(present, large) : OfSymbols(module);
  const std::vector<Named> others = OfObject(module);
  FIRSTCALL_RETURN_IF_ERROR(CheckAll(present, symbols));
  FIRSTCALL_RETURN_IF_ERROR(CheckAll(present, others));
  Library& library = libraries_[module.library()];
  EnterAll(library, symbols);
  if (is_large) {
    next_order_ = large.order + module.index().size();
    library.large_modules.push_back(large);
  }
  EnterAll(library, others);
  return absl::OkStatus();
}

absl::Status Definitions::Add(LazyObject& object, absl::Span<const ElfObject::Definition> symbols,
                              bool is_fallback) {
  std::vector<Named> all;
  for (const ElfObject::Definition& symbol : symbols) {
    all.push_back({symbol.name,
                   {nullptr, SymbolOrdinal(), &object, symbol.is_weak || is_fallback,
                    symbol.is_hidden, symbol.is_thread_local}});
  }
  absl::MutexLock lock(&mutex_);
  FIRSTCALL_RETURN_IF_ERROR(CheckAll(LibraryOf(object.library), all));
  EnterAll(libraries_[object.library], all);
  return absl::OkStatus();
}

absl::Status Definitions::CheckAll(const Library& library, absl::Span<const Named> all) {
  for (const Named& added : all) {
    const std::optional<Definition> found = FindIn(library, added.name);
    if (found && !found->is_weak && !added.definition.is_weak) {
      return absl::AlreadyExistsError(absl::StrCat("symbol '", added.name, "' is defined both by '",
                                                   DefinerOf(*found), "' and by '",
                                                   DefinerOf(added.definition), "'"));
    }
  }
  return absl::OkStatus();
}

void Definitions::EnterAll(Library& library, absl::Span<const Named> all) {
  // Not at each call: for many modules of one function that would take quadratic time.
  ByName& by_name = library.by_name;
  if (all.size() > by_name.size()) by_name.reserve(by_name.size() + all.size());
  for (const Named& added : all) {
    Gather(library, added.name);
    Definition definition = added.definition;
    if (definition.order == 0) definition.order = next_order_++;
    Enter(library, added.name, definition);
  }
}

// Enters what the large modules define under `name`.
void Definitions::Gather(Library& library, absl::string_view name) {
  if (library.large_modules.empty() || library.by_name.contains(name)) return;
  for (const LargeModule& large : library.large_modules) {
    if (const std::optional<Definition> found = FindIn(large, name)) Enter(library, name, *found);
  }
}

void Definitions::Enter(Library& library, absl::string_view name, const Definition& definition) {
  auto [entry, is_new] = library.by_name.try_emplace(name, definition);
  if (is_new) return;
  Definition& present = entry->second;
  const bool wins = (present.is_weak && !definition.is_weak) ||
                    (present.common_size != 0 && definition.common_size > present.common_size);
  if (!wins && present.is_section_bound && definition.is_section_bound) present.is_ambiguous = true;
  const Definition loser = wins ? std::exchange(present, definition) : definition;
  std::vector<Definition>& others = library.others[name];
  others.insert(std::upper_bound(others.begin(), others.end(), loser, IsOlder), loser);
}

void Definitions::Remove(SourceModule& module) {
  std::vector<Named> all = OfSymbols(module);
  const std::vector<Named> of_object = OfObject(module);
  all.insert(all.end(), of_object.begin(), of_object.end());
  absl::MutexLock lock(&mutex_);
  const auto found = libraries_.find(module.library());
  if (found == libraries_.end()) return;
  Library& library = found->second;
  std::vector<LargeModule>& large = library.large_modules;
  large.erase(std::remove_if(large.begin(), large.end(),
                             [&](const LargeModule& other) { return other.module == &module; }),
              large.end());
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
  if (library.IsEmpty()) libraries_.erase(found);
}

const Definitions::Library& Definitions::LibraryOf(LibraryId id) const {
  const auto library = libraries_.find(id);
  return library != libraries_.end() ? library->second : empty_library_;
}

std::optional<Definition> Definitions::Find(absl::string_view name, LibraryId library) const {
  absl::ReaderMutexLock lock(&mutex_);
  if (std::optional<Definition> found = FindIn(LibraryOf(library), name)) return found;
  if (!search_other_libraries_) return std::nullopt;
  for (const auto& [id, other] : libraries_) {
    if (id == library) continue;
    std::optional<Definition> found = FindIn(other, name);
    if (found && !found->is_hidden) return found;
  }
  return std::nullopt;
}

}  // namespace firstcall
