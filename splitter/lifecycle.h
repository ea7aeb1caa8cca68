// Which functions of a source module run before and after the program: entries of llvm.global_ctors
// and llvm.global_dtors, and pointers in the sections that start-up code of ELF systems goes
// through (.preinit_array, .init_array, .fini_array, and .ctors and .dtors of older ones).
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_LIFECYCLE_H_
#define FIRSTCALL_SPLITTER_LIFECYCLE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "splitter/module_view.h"

namespace firstcall {

struct LifecycleFunction {
  int64_t priority = 0;  // Constructors run in ascending order, destructors in descending.
  SymbolOrdinal function;
};

enum class LifecyclePhase { kStart, kEnd };

// Where in the order the pointers of `section` come; nothing if it is no section of that phase.
std::optional<int64_t> PriorityOfSection(absl::string_view section, LifecyclePhase phase);

// In the order they are to run; entries of one priority in the order of the module, destructors in
// reverse. Unimplemented, with the variable's name, if such a section holds anything but pointers
// to functions.
absl::StatusOr<std::vector<LifecycleFunction>> ReadConstructors(const ModuleView& view);
absl::StatusOr<std::vector<LifecycleFunction>> ReadDestructors(const ModuleView& view);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LIFECYCLE_H_
