// The unwinders of this process: each library that is loaded and takes unwind tables. A program may
// have several: libc++abi brings LLVM's libunwind, while libgcc is there for libstdc++. Each of
// them walks through frames of compiled code.
//
// Thread-safe.

#ifndef FIRSTCALL_MEMORY_PROCESS_UNWINDERS_H_
#define FIRSTCALL_MEMORY_PROCESS_UNWINDERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "memory/unwinder.h"

namespace firstcall {

// A number that changes whenever a library is loaded. Takes glibc's lock of loaded libraries, which
// a thread may hold while it runs the program's code (in a callback of dl_iterate_phdr): no lock
// may be held that such code may need.
uint64_t CountOfLoadedLibraries();

struct FoundUnwinder {
  const void* function;  // Takes tables. Different for each unwinder.
  std::unique_ptr<Unwinder> unwinder;
};

// Returns the unwinders of this process whose function that takes tables is not in `known`. An
// unwinder's library stays loaded. Locks as CountOfLoadedLibraries does.
//
// Known are libgcc's interface, that of GCC 12 and earlier and that of GCC 13 and later, and the
// one of LLVM's libunwind. An unwinder that a file is linked with, but does not export, is found
// only in the file that contains this code.
std::vector<FoundUnwinder> FindProcessUnwinders(const absl::flat_hash_set<const void*>& known);

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_PROCESS_UNWINDERS_H_
