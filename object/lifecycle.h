// The functions that run before and after a program, and the sections of an object that point to
// them: .preinit_array, .init_array, .fini_array, and the older .ctors and .dtors, which the
// start-up code of ELF systems processes; in IR also Mach-O's __mod_init_func and __mod_term_func.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_OBJECT_LIFECYCLE_H_
#define FIRSTCALL_OBJECT_LIFECYCLE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "base/ids.h"

namespace firstcall {

struct LifecycleFunction {
  int64_t priority = 0;  // Constructors run in ascending order, destructors in descending.
  SymbolOrdinal function;
};

enum class LifecyclePhase { kStart, kEnd };

struct LifecycleSection {
  int64_t priority = 0;  // As in LifecycleFunction.
  // Whether the section's last pointer is the first one of the list: that of .ctors is called
  // first, and that of .dtors last, so static linkers reverse them when they make the newer
  // sections.
  bool is_reversed = false;
};

// What pointers in `section` mean; nullopt if it is not a section of that phase.
std::optional<LifecycleSection> FindLifecycleSection(absl::string_view section,
                                                     LifecyclePhase phase);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_LIFECYCLE_H_
