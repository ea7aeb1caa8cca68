// What the engine knows about a source module's symbols even while it has no view of the module:
// names, kinds, linkage, the targets of aliases, the groups of inseparable definitions, and the
// functions that run before and after the program.
//
// Immutable after construction, therefore thread-safe. Tested in
// tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_CODE_SYMBOL_INDEX_H_
#define FIRSTCALL_CODE_SYMBOL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "code/lifecycle.h"

namespace firstcall {

enum class SymbolKind : uint8_t { kFunction, kVariable, kAlias, kIFunc };

struct Symbol {
  // The name in objects; unique in its source module. Local symbols have their ordinal in it.
  std::string name;
  SymbolKind kind = SymbolKind::kFunction;
  // The module defines the symbol. False if `available_externally`: another module must define it.
  bool is_definition = false;
  // Known by its name only within its source module (internal, private).
  bool is_local = false;
  // A definition that gives way to an earlier or a strong one; or a declaration that may stay
  // unresolved.
  bool is_weak = false;
  // A tentative definition in C (`common`): weak, but a definition of the process does not override
  // it.
  bool is_common = false;
  bool is_thread_local = false;
  // Has hidden visibility: other libraries cannot see it.
  bool is_hidden = false;
  // The module has an alias that stands for the symbol.
  bool has_aliases = false;
  // A function with prefix data: data before its first instruction, found through its address.
  bool has_prefix = false;
  // A variable that contains the distance from a function to something. No object can express that
  // without defining the function, so code has to compute it.
  bool is_computed = false;
  // The symbol's address is `offset` bytes from that of `base`, which is the symbol itself, or, for
  // an alias, its final target. For an ifunc, `base` is the function that returns its address.
  SymbolOrdinal base;
  int64_t offset = 0;
  // The size of a variable in bytes.
  uint64_t size = 0;
};

// A symbol that module-level inline assembly defines.
struct AssemblySymbol {
  std::string name;
  bool is_global = false;
};

class SymbolIndex {
 public:
  // Converts an index to bytes and back, to keep it from one run to the next. DataLoss if the bytes
  // do not have the form of an index; their contents are trusted otherwise.
  std::string Encode() const;
  static absl::StatusOr<SymbolIndex> Decode(absl::string_view bytes);

  size_t size() const { return symbols_.size(); }
  const Symbol& at(SymbolOrdinal ordinal) const { return symbols_[ordinal.value]; }

  // Finds a symbol by its Symbol::name.
  std::optional<SymbolOrdinal> Find(absl::string_view name) const;

  // Finds the local symbol that the module's inline assembly calls `name`. FindLocal knows the
  // symbols that assembly is likely to name: all of them if the module has module-level assembly,
  // otherwise those in llvm.used and llvm.compiler.used. FindUnlikelyLocal searches all symbols.
  std::optional<SymbolOrdinal> FindLocal(absl::string_view name) const;
  std::optional<SymbolOrdinal> FindUnlikelyLocal(absl::string_view name) const;

  // The definitions that can only be compiled together with `ordinal`, including itself, in
  // ascending order; empty if it can be compiled alone. (A function and the data that contains
  // addresses of its blocks are such a group.)
  absl::Span<const SymbolOrdinal> GroupOf(SymbolOrdinal ordinal) const;

  // Whether any GroupOf is not empty.
  bool has_groups() const { return !groups_.empty(); }

  // The functions in the order in which they are to run.
  absl::Span<const LifecycleFunction> constructors() const { return constructors_; }
  absl::Span<const LifecycleFunction> destructors() const { return destructors_; }

  // The symbols that module-level inline assembly defines. The data-module contains that assembly,
  // and makes all of them global.
  absl::Span<const AssemblySymbol> assembly_symbols() const { return assembly_symbols_; }

  // The names `__start_SECTION` and `__stop_SECTION` for each section of the module's variables
  // whose name is a C identifier: a static linker would define them as the section's bounds.
  absl::Span<const std::string> section_bounds() const { return section_bounds_; }

  // Whether a function uses LLVM's shadow stack and the module has no list of roots of its own. If
  // so, the data-module defines the list.
  bool needs_shadow_stack() const { return needs_shadow_stack_; }

  // The number of functions that the module defines.
  size_t function_count() const { return function_count_; }

 private:
  friend class SymbolIndexBuilder;
  SymbolIndex() = default;

  std::vector<Symbol> symbols_;
  absl::flat_hash_map<absl::string_view, SymbolOrdinal> by_name_;  // Keys point into symbols_.
  absl::flat_hash_map<std::string, SymbolOrdinal> likely_locals_;  // By the name in the source.
  absl::flat_hash_map<SymbolOrdinal, std::vector<SymbolOrdinal>> groups_;
  std::vector<LifecycleFunction> constructors_;
  std::vector<LifecycleFunction> destructors_;
  std::vector<AssemblySymbol> assembly_symbols_;
  std::vector<std::string> section_bounds_;
  bool needs_shadow_stack_ = false;
  size_t function_count_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_SYMBOL_INDEX_H_
