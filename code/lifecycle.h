// The functions that run before and after a program, and the sections of an object that point to
// them: .preinit_array, .init_array, .fini_array, and the older .ctors and .dtors, which the
// start-up code of ELF systems processes; in IR also Mach-O's __mod_init_func and __mod_term_func.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_CODE_LIFECYCLE_H_
#define FIRSTCALL_CODE_LIFECYCLE_H_

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

// The priority of the pointers in `section`; nullopt if it is not a section of that phase.
std::optional<int64_t> PriorityOfSection(absl::string_view section, LifecyclePhase phase);

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_LIFECYCLE_H_
