// The symbols of a source module while its index is being built. A module may have very many, most
// of them functions that are nothing but a name, so a symbol takes 16 bytes if it can.
//
// Thread-compatible. Tested in tests/object/symbol_table_test.cc.

#ifndef FIRSTCALL_SEAM_SYMBOL_LIST_H_
#define FIRSTCALL_SEAM_SYMBOL_LIST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "seam/symbol.h"

namespace firstcall {

// Of a symbol that is not its own base, has an offset, or has a size.
struct SymbolDetails {
  uint32_t ordinal;
  uint32_t base;
  int64_t offset;
  uint64_t size;
};

class SymbolList {
 public:
  void Reserve(size_t count) { rows_.reserve(count); }
  size_t size() const { return rows_.size(); }

  // The name must live as long as the list, and have less than 4 GiB.
  void Add(const Symbol& symbol);
  // Replaces a symbol.
  void Set(SymbolOrdinal ordinal, const Symbol& symbol);

  Symbol at(SymbolOrdinal ordinal) const;
  absl::string_view NameAt(SymbolOrdinal ordinal) const {
    const Row& row = rows_[ordinal.value];
    return {row.name, row.name_size};
  }
  // As SymbolFlagsOf.
  uint32_t FlagsAt(SymbolOrdinal ordinal) const { return rows_[ordinal.value].flags; }
  // In the order of the ordinals.
  absl::Span<const SymbolDetails> details() const { return details_; }

 private:
  struct Row {
    const char* name;
    uint32_t name_size;
    uint32_t flags;
  };

  // The first details of this symbol or a later one.
  std::vector<SymbolDetails>::iterator FindDetails(uint32_t ordinal);

  std::vector<Row> rows_;
  std::vector<SymbolDetails> details_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SYMBOL_LIST_H_
