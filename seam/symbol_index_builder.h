// Builds the index of a source module's symbols from plain descriptions of them. This is the part
// of the work that does not depend on who has read the module: LLVM (splitter/symbol_index_builder)
// or this project's own reader of bitcode (direct/symbol_index_reader).
//
// Thread-compatible. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SEAM_SYMBOL_INDEX_BUILDER_H_
#define FIRSTCALL_SEAM_SYMBOL_INDEX_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_arena.h"
#include "base/ids.h"
#include "object/lifecycle.h"
#include "seam/symbol.h"
#include "seam/symbol_index.h"
#include "seam/symbol_list.h"

namespace firstcall {

// Call the functions in the order in which they stand here: each relies on what the ones before it
// have been told.
class SymbolIndexBuilder {
 public:
  // For a module of `count` symbols.
  explicit SymbolIndexBuilder(size_t count) { symbols_.Reserve(count); }

  // Adds the next symbol. `symbol.name` is the name in objects, before a local name gets its
  // ordinal; it must live until Finish. `base` and `has_aliases` are set by the builder.
  // Unimplemented if the name is reserved.
  absl::Status Add(Symbol symbol);
  // Says that the symbol added last is a function, a definition, with LLVM's shadow stack.
  void NoteShadowStack() { uses_shadow_stack_ = true; }

  size_t size() const { return symbols_.size(); }
  // The symbol as far as it is known.
  Symbol at(SymbolOrdinal ordinal) const { return symbols_.at(ordinal); }

  // Says what the alias `ordinal` stands for: `offset` bytes behind `base`, which is no alias.
  // Unimplemented for a part of a thread-local variable.
  absl::Status ResolveAlias(SymbolOrdinal ordinal, SymbolOrdinal base, int64_t offset);
  void ResolveIFunc(SymbolOrdinal ordinal, SymbolOrdinal resolver) {
    Symbol symbol = at(ordinal);
    symbol.base = resolver;
    symbols_.Set(ordinal, symbol);
  }

  // Changes local names that are those of global symbols. From now on names are final.
  void MakeNamesUnique();

  // Says that `ordinal`, which has `name` in the source, is one that assembly is likely to name.
  // Does nothing unless the symbol is local.
  void AddLikelyLocal(absl::string_view name, SymbolOrdinal ordinal);

  // Says that two definitions can only be compiled together.
  void Unite(SymbolOrdinal a, SymbolOrdinal b);
  // The symbols that Unite has named, each at least once.
  absl::Span<const SymbolOrdinal> grouped() const { return grouped_; }
  void NumberGroups();

  // Says that the initializer of the variable `ordinal` has to be computed by code.
  void MarkComputed(SymbolOrdinal ordinal) { SetFlag(ordinal, &Symbol::is_computed); }
  // Unimplemented, with its name, if such a variable belongs to a group.
  absl::Status CheckComputed() const;

  // Says that variables of the module lie in `section`. The bounds of sections are in the index in
  // the order of these calls; a section may be named several times.
  void AddSection(absl::string_view section, bool is_divided);
  void AddCollectorTable(std::string name) { index_.collector_tables_.push_back(std::move(name)); }
  void SetLifecycle(std::vector<LifecycleFunction> constructors,
                    std::vector<LifecycleFunction> destructors);

  // For modules with assembly.
  std::optional<SymbolOrdinal> FindLikelyLocal(absl::string_view name) const {
    return index_.FindLocal(name);
  }
  const AssemblySymbol* FindAssemblySymbol(absl::string_view name) const {
    return index_.FindAssemblySymbol(name);
  }
  void AddAssemblySymbol(AssemblySymbol symbol) {
    index_.assembly_symbols_.push_back(std::move(symbol));
  }
  void AddWeakInAssembly(const std::string& name) { index_.weak_in_assembly_.push_back(name); }
  void Hide(SymbolOrdinal ordinal) { SetFlag(ordinal, &Symbol::is_hidden); }

  // The index. The builder must not be used any more.
  SymbolIndex Finish();

 private:
  void SetFlag(SymbolOrdinal ordinal, bool Symbol::*flag);
  SymbolOrdinal Leader(SymbolOrdinal ordinal) const;
  uint64_t FindLargestNearVariable() const;

  SymbolIndex index_;
  SymbolList symbols_;
  ByteArena local_names_;
  std::string scratch_;
  // The global names that might be those of local symbols, too: almost always none.
  absl::flat_hash_set<absl::string_view> like_local_names_;
  bool uses_shadow_stack_ = false;
  absl::flat_hash_map<SymbolOrdinal, SymbolOrdinal> leader_;
  std::vector<SymbolOrdinal> grouped_;
  absl::flat_hash_set<std::string> sections_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SYMBOL_INDEX_BUILDER_H_
