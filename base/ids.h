// Strong identifiers shared by the folders of the engine. Values are dense and never reused, so
// they can index vectors. Identifiers of different kinds cannot be mixed up: that does not compile.
//
// Immutable value types. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_BASE_IDS_H_
#define FIRSTCALL_BASE_IDS_H_

#include <cstdint>
#include <utility>

namespace firstcall {

// A dense index. `Tag` only makes each kind of index a type of its own.
template <typename Tag>
struct StrongId {
  uint32_t value = 0;

  friend bool operator==(StrongId a, StrongId b) { return a.value == b.value; }
  friend bool operator!=(StrongId a, StrongId b) { return a.value != b.value; }
  friend bool operator<(StrongId a, StrongId b) { return a.value < b.value; }
  template <typename H>
  friend H AbslHashValue(H h, StrongId id) {
    return H::combine(std::move(h), id.value);
  }
};

// A source module of one engine. Modules are numbered in the order in which they were added.
using ModuleId = StrongId<struct ModuleIdTag>;

// A set of source modules and objects that see each other's hidden symbols, like a program or a
// shared library. 0 is the default library.
using LibraryId = StrongId<struct LibraryIdTag>;

// A symbol of one source module: its position in module order (functions, variables, aliases,
// ifuncs). The same in every view of the module and in every process that loads the same bytes.
using SymbolOrdinal = StrongId<struct SymbolOrdinalTag>;

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_IDS_H_
