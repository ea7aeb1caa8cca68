// What the engine has to know of a source module's symbols without holding a view of it: names,
// kinds, bindings, what an alias stands for, which definitions are inseparable, what runs before
// and after the program.
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_SPLITTER_SYMBOL_INDEX_H_
#define FIRSTCALL_SPLITTER_SYMBOL_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "splitter/lifecycle.h"
#include "splitter/module_view.h"

namespace firstcall {

enum class SymbolKind : uint8_t { kFunction, kVariable, kAlias, kIFunc };

struct Symbol {
  // Unique in its source module; what objects call it. Local symbols carry their ordinal.
  std::string name;
  SymbolKind kind = SymbolKind::kFunction;
  // The module defines it. False for `available_externally`, which another module must define.
  bool is_definition = false;
  // Known by its name only inside its source module (internal, private).
  bool is_local = false;
  // A definition that yields to an earlier or strong one; a declaration that may stay unresolved.
  bool is_weak = false;
  // A tentative definition of C (`common`): weak, but never replaced by one of the process.
  bool is_common = false;
  bool is_thread_local = false;
  // Of hidden visibility: not for other libraries.
  bool is_hidden = false;
  // An alias of the module stands for it.
  bool has_aliases = false;
  // A function with data in front of its first instruction, found through its address.
  bool has_prefix = false;
  // A variable that holds the distance from a function to something, which no object can express
  // without defining the function: code has to compute it.
  bool is_computed = false;
  // Where its address is: itself at 0, but for an alias what it stands for in the end; for an ifunc
  // the function that tells its address.
  SymbolOrdinal base;
  int64_t offset = 0;
  // Bytes of a variable.
  uint64_t size = 0;
};

// A symbol that module-level inline assembly defines.
struct AssemblySymbol {
  std::string name;
  bool is_global = false;
};

// Tells whether a weak definition gives way to one the process or an earlier module has.
using IsReplaced = absl::FunctionRef<bool(SymbolOrdinal)>;

class SymbolIndex {
 public:
  // Takes time in proportion to the number of symbols, and for a module given in memory to the
  // number of its basic blocks and of its functions' uses. A module with inline assembly must have
  // a triple, of a target whose assembly parser is initialized. Unimplemented, with the symbol's
  // name, for what cannot be split.
  static absl::StatusOr<SymbolIndex> Build(const ModuleView& view);

  // All of an index as bytes, and back: for an index that is kept from one run to the next.
  // DataLoss if the bytes are not an index's; otherwise they are believed.
  std::string Encode() const;
  static absl::StatusOr<SymbolIndex> Decode(absl::string_view bytes);

  size_t size() const { return symbols_.size(); }
  const Symbol& at(SymbolOrdinal ordinal) const { return symbols_[ordinal.value]; }

  // By Symbol::name.
  std::optional<SymbolOrdinal> Find(absl::string_view name) const;

  // The local symbol that inline assembly of the module means by `name`. Known at once if assembly
  // must be expected to name it (the module has some of its own, or the symbol is in llvm.used);
  // FindUnlikelyLocal looks at every symbol.
  std::optional<SymbolOrdinal> FindLocal(absl::string_view name) const;
  std::optional<SymbolOrdinal> FindUnlikelyLocal(absl::string_view name) const;

  // The definitions that can only be compiled together with `ordinal`, itself included, in
  // ascending order; empty if it can be compiled alone. (A function whose blocks' addresses stand
  // in data, and that data, are such a group.)
  absl::Span<const SymbolOrdinal> GroupOf(SymbolOrdinal ordinal) const;

  // Whether GroupOf is ever more than empty.
  bool has_groups() const { return !groups_.empty(); }

  // In the order they are to run.
  absl::Span<const LifecycleFunction> constructors() const { return constructors_; }
  absl::Span<const LifecycleFunction> destructors() const { return destructors_; }

  // The data-module defines them, and makes all of them global to its linker.
  absl::Span<const AssemblySymbol> assembly_symbols() const { return assembly_symbols_; }

  // The names `__start_SECTION` and `__stop_SECTION` for each section of its variables that has a
  // C identifier for a name: where a static linker would let it begin and end.
  absl::Span<const std::string> section_bounds() const { return section_bounds_; }

  // Whether a function uses LLVM's shadow stack, and the module has no list of roots of its own:
  // the data-module defines one then.
  bool needs_shadow_stack() const { return needs_shadow_stack_; }

  // Number of functions the module defines.
  size_t function_count() const { return function_count_; }

 private:
  friend class SymbolIndexBuilder;
  SymbolIndex() = default;

  std::vector<Symbol> symbols_;
  absl::flat_hash_map<absl::string_view, SymbolOrdinal> by_name_;  // Keys alias symbols_.
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

#endif  // FIRSTCALL_SPLITTER_SYMBOL_INDEX_H_
