// Tells the program's garbage collector where the variables of compiled code are: the collector of
// Boehm, Demers and Weiser (libgc). It takes for roots what lies in the data of files that the
// dynamic linker has loaded, and the stacks and registers of threads. The data of modules and the
// blocks of thread-local variables are in memory of the engine's own (memory/variable_memory.h).
//
// The signals by which it stops threads are not held back from threads at work.
//
// A collector that was found gets a function which it calls in each collection, when it looks for
// roots, and which passes all variables that exist at that time (ADR 79). A process has one
// collector: the first that is found.
//
// Thread-safe. Tested in tests/runtime/collector_roots_test.cc, tests/programs/library/collector.c
// and collector_loaded_later.c.

#ifndef FIRSTCALL_RUNTIME_PROCESS_COLLECTOR_ROOTS_H_
#define FIRSTCALL_RUNTIME_PROCESS_COLLECTOR_ROOTS_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace firstcall {

class CollectorRoots {
 public:
  // Returns the address of a function by its name; null if there is none.
  using Finder = absl::FunctionRef<void*(const char* name)>;

  // Looks for the collector among the symbols of the process. To be called when libraries may have
  // been loaded; otherwise does nothing. Takes GNU libc's lock of loaded libraries: the caller
  // holds no lock that compiled code may need.
  static void FindInProcess();

  // Looks for a collector that only `find` knows. Needs all functions of it that are used here.
  static void Find(Finder find);

  // Whether code that refers to `name` may have the collector's functions.
  static bool IsNameOfCollector(absl::string_view name);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_COLLECTOR_ROOTS_H_
