// Registries for libgcc alone, by each way in which tables can be registered with some version of
// it.

#ifndef FIRSTCALL_TESTS_TESTING_UNWIND_REGISTRIES_H_
#define FIRSTCALL_TESTS_TESTING_UNWIND_REGISTRIES_H_

#include <memory>

#include "memory/unwind_registry.h"

namespace firstcall {

enum class Registrations {
  kOfProcess,  // What the registry does by itself.
  kGroups,     // Groups of tables, for libgcc before version 13.
  kSingle,     // One registration for each table, for libgcc since version 13.
};

std::shared_ptr<UnwindRegistry> MakeRegistry(Registrations registrations);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_UNWIND_REGISTRIES_H_
