// The symbols of a source module, packed into bytes that are used as they are: a table that comes
// from a cache costs nothing for the symbols that nobody asks for.
//
// Immutable, therefore thread-safe.

#ifndef FIRSTCALL_SEAM_SYMBOL_TABLE_H_
#define FIRSTCALL_SEAM_SYMBOL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/byte_buffer.h"
#include "base/ids.h"
#include "seam/symbol.h"
#include "seam/symbol_list.h"

namespace firstcall {

class SymbolTable {
 public:
  SymbolTable() = default;

  // A table of `symbols`, in their order. Their names must differ, and be less than 4 GiB together.
  static SymbolTable Of(const SymbolList& symbols);

  // The table whose bytes() are those of `bytes` from `begin` on. DataLoss if their number is not
  // right; their contents are trusted, but whatever they are, no byte outside of them is read.
  static absl::StatusOr<SymbolTable> Decode(ByteBuffer bytes, size_t begin);

  // The table in the form that Decode reads, for machines with the same order of bytes.
  absl::string_view bytes() const { return absl::string_view(bytes_).substr(begin_); }

  size_t size() const { return count_; }

  // The name lives as long as this table, and a zero byte follows it. `ordinal` must be less than
  // size().
  Symbol at(SymbolOrdinal ordinal) const;

  // Finds a symbol by its name.
  std::optional<SymbolOrdinal> Find(absl::string_view name) const;

 private:
  // Writes all but the head, whose numbers are set.
  void Write(const SymbolList& symbols);
  absl::string_view NameOf(uint32_t ordinal) const;
  const char* records() const;
  const char* details() const;
  const char* buckets() const;

  // A head, a record for each symbol, details of some of them, the buckets of a hash table, the
  // names with a zero byte each.
  ByteBuffer bytes_;
  size_t begin_ = 0;
  uint32_t count_ = 0;
  uint32_t bucket_count_ = 0;  // More than there are symbols.
  uint32_t details_count_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_SYMBOL_TABLE_H_
