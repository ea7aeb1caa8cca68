// Puts the functions that run before or after a program into their order. Filled by those who read
// a source module: its sections of pointers first, and then its list of priorities and functions.
//
// Thread-compatible. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SEAM_LIFECYCLE_LIST_H_
#define FIRSTCALL_SEAM_LIFECYCLE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "object/lifecycle.h"

namespace firstcall {

class LifecycleList {
 public:
  explicit LifecycleList(LifecyclePhase phase) : phase_(phase) {}

  // The functions of `section`, to which a variable's pointers are to be appended. What has one
  // name is one section, but LLVM gives each variable of llvm.used a section of its own: `own` is
  // the ordinal of such a variable. Null if the section has nothing to do with the phase.
  // `section` must live until Take. The result is valid until the next call.
  std::vector<SymbolOrdinal>* FunctionsOf(absl::string_view section,
                                          std::optional<SymbolOrdinal> own);

  // Adds an entry of llvm.global_ctors or llvm.global_dtors.
  void Add(int64_t priority, SymbolOrdinal function) { entries_.push_back({priority, function}); }

  // The functions in the order in which they are to run. Functions of one priority run in the order
  // of the module, destructors in the opposite order.
  std::vector<LifecycleFunction> Take() &&;

 private:
  struct Section {
    LifecycleSection properties;
    std::vector<SymbolOrdinal> functions;
  };

  const LifecyclePhase phase_;
  std::vector<Section> sections_;
  // By name, and by the ordinal of a variable with a section of its own, or UINT32_MAX.
  absl::flat_hash_map<std::pair<absl::string_view, uint32_t>, size_t> numbers_;
  std::vector<LifecycleFunction> entries_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_LIFECYCLE_LIST_H_
