// What the engine knows about a source module's symbols even while it has no view of the module:
// names, kinds, linkage, the targets of aliases, the groups of inseparable definitions, and the
// functions that run before and after the program.
//
// Immutable after construction, therefore thread-safe. Tested in
// tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SEAM_SYMBOL_INDEX_H_
#define FIRSTCALL_SEAM_SYMBOL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/call_once.h"
#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_buffer.h"
#include "base/ids.h"
#include "object/lifecycle.h"
#include "seam/compile_questions.h"
#include "seam/symbol_table.h"

namespace firstcall {

// A symbol that module-level inline assembly defines.
struct AssemblySymbol {
  std::string name;
  bool is_global = false;
  bool is_weak = false;  // Gives way to a definition of another module or object.
  bool is_hidden = false;
  uint64_t common_size = 0;  // Of a tentative definition (.comm); 0 if it is none.
  // If this is not empty, the symbol may be missing in the object of the data, and then stands for
  // the symbol of this name plus the offset: `.set name, target + offset`. A name with `@` is that
  // of a version of a symbol.
  std::string target;
  int64_t offset = 0;
};

// A name `__start_SECTION` or `__stop_SECTION`.
struct SectionBound {
  std::string name;
  // A variable of the section holds addresses of blocks, so it is in the object of its function if
  // functions are compiled one by one.
  bool is_divided = false;
};

class SymbolIndex {
 public:
  // Converts an index to bytes and back, to keep it from one run to the next. DataLoss if the bytes
  // do not have the form of an index; their contents are trusted otherwise.
  std::string Encode() const;
  static absl::StatusOr<SymbolIndex> Decode(ByteBuffer bytes);

  size_t size() const { return symbols_.size(); }

  // The symbol's name lives as long as the index, and a zero byte follows it.
  Symbol at(SymbolOrdinal ordinal) const { return symbols_.at(ordinal); }

  // Finds a symbol by its Symbol::name.
  std::optional<SymbolOrdinal> Find(absl::string_view name) const { return symbols_.Find(name); }

  // Finds the local symbol that the module's inline assembly calls `name`. FindLocal knows the
  // symbols that assembly is likely to name: all of them if the module has module-level assembly,
  // otherwise those in llvm.used and llvm.compiler.used. FindUnlikelyLocal searches all symbols.
  std::optional<SymbolOrdinal> FindLocal(absl::string_view name) const;
  std::optional<SymbolOrdinal> FindUnlikelyLocal(absl::string_view name) const;

  // The definitions that can only be compiled together with `ordinal`, including itself, in
  // ascending order; empty if it can be compiled alone. (A function and the data that contains
  // addresses of its blocks are such a group.)
  absl::Span<const SymbolOrdinal> GroupOf(SymbolOrdinal ordinal) const;

  // The alias that keeps `base`, a weak definition that is replaced: the first one for all of it
  // that is not replaced itself. If `base` has aliases, the first call takes time in proportion to
  // the number of symbols.
  std::optional<SymbolOrdinal> KeeperOf(SymbolOrdinal base, IsReplaced is_replaced) const;

  // Whether any GroupOf is not empty.
  bool has_groups() const { return !groups_.empty(); }

  // The functions in the order in which they are to run.
  absl::Span<const LifecycleFunction> constructors() const { return constructors_; }
  absl::Span<const LifecycleFunction> destructors() const { return destructors_; }

  // The symbols that module-level inline assembly defines. The data-module contains that assembly,
  // and in its object all of them are global.
  absl::Span<const AssemblySymbol> assembly_symbols() const { return assembly_symbols_; }
  // The symbol of this name among them; null if there is none.
  const AssemblySymbol* FindAssemblySymbol(absl::string_view name) const;

  // Whether module-level assembly makes references to `name`, which it does not define, weak.
  bool IsWeakInAssembly(absl::string_view name) const;

  // The names `__start_SECTION` and `__stop_SECTION` for each section of the module's variables
  // whose name is a C identifier: a static linker would define them as the section's bounds.
  absl::Span<const SectionBound> section_bounds() const { return section_bounds_; }

  // The symbols that LLVM defines in an object as the bounds of its code, of its data, and of the
  // table of its frames, if functions of the module have the garbage collector of OCaml.
  absl::Span<const std::string> collector_tables() const { return collector_tables_; }

  // Whether a function uses LLVM's shadow stack and the module has no list of roots of its own. If
  // so, the data-module defines the list.
  bool needs_shadow_stack() const { return needs_shadow_stack_; }

  // Variables of more bytes may lie out of reach of code.
  uint64_t largest_near_variable() const { return largest_near_variable_; }

  // The number of functions that the module defines.
  size_t function_count() const { return function_count_; }

 private:
  friend class SymbolIndexBuilder;
  SymbolIndex() = default;

  // The maps are ordered ones because both halves look into them: two copies of Abseil have
  // different hash functions (object/symbol_addresses.h).
  SymbolTable symbols_;
  absl::btree_map<std::string, SymbolOrdinal> likely_locals_;  // By the name in the source.
  std::vector<std::vector<SymbolOrdinal>> groups_;
  absl::btree_map<SymbolOrdinal, uint32_t> group_numbers_;  // Their positions in groups_.
  std::vector<LifecycleFunction> constructors_;
  std::vector<LifecycleFunction> destructors_;
  std::vector<AssemblySymbol> assembly_symbols_;
  std::vector<std::string> weak_in_assembly_;
  std::vector<SectionBound> section_bounds_;
  std::vector<std::string> collector_tables_;
  bool needs_shadow_stack_ = false;
  uint64_t largest_near_variable_ = UINT64_MAX;
  size_t function_count_ = 0;
  // The aliases that are all of what they stand for, in ascending order. Filled when it is needed.
  struct WholeAliases {
    absl::once_flag once;
    absl::btree_map<SymbolOrdinal, std::vector<SymbolOrdinal>> by_base;
  };
  std::unique_ptr<WholeAliases> whole_aliases_ = std::make_unique<WholeAliases>();
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SYMBOL_INDEX_H_
