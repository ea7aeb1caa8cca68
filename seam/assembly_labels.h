// The labels that the inline assembly of a source module's functions defines, and which function
// defines each. Read when a name is defined by nothing else, because all bodies must be read for
// them.
//
// Plain values. Tested in tests/runtime/assembly_labels_test.cc.

#ifndef FIRSTCALL_SEAM_ASSEMBLY_LABELS_H_
#define FIRSTCALL_SEAM_ASSEMBLY_LABELS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ids.h"

namespace firstcall {

struct AssemblyLabels {
  struct Label {
    std::string name;
    SymbolOrdinal function;
  };
  std::vector<Label> all;

  // The function that defines `name`: the first one in the order of the module. A second one would
  // be an error for an assembler.
  std::optional<SymbolOrdinal> DefinerOf(absl::string_view name) const;

  // Converts to bytes and back. Nullopt if the bytes have another form, or name symbols beyond
  // `symbol_count`.
  std::string Encode() const;
  static std::optional<AssemblyLabels> Decode(absl::string_view bytes, size_t symbol_count);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_ASSEMBLY_LABELS_H_
