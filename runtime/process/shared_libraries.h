// The shared libraries that are given for an engine's program. Their symbols come behind those that
// the program itself defines, and in front of those of the process, as if the program had been
// linked with the libraries.
//
// What a library needs is looked for in the process, as the dynamic linker does for the library
// itself: so both find the same. The order of what the process was started with is the process's,
// too: a preloaded library comes in front of what it replaces.
//
// Immutable. Tested in tests/api/shared_libraries_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_SHARED_LIBRARIES_H_
#define FIRSTCALL_RUNTIME_PROCESS_SHARED_LIBRARIES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

class SharedLibraries {
 public:
  // Loads the libraries, unless they are loaded, in their order; their symbols become global. Their
  // constructors run. NotFound, with the system's reason, if one cannot be loaded. They stay
  // loaded, because code that uses them may outlive all engines.
  static absl::StatusOr<std::shared_ptr<const SharedLibraries>> Open(
      absl::Span<const std::string> paths);

  // The address of `name` in the first of the libraries that defines it; null if no library does.
  // `of_start_too` tells whether libraries that the process was started with are searched, too.
  ExecutorAddress Find(const std::string& name, bool of_start_too) const;

 private:
  explicit SharedLibraries(std::vector<void*> handles) : handles_(std::move(handles)) {}

  const std::vector<void*> handles_;  // Those of dlopen.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_SHARED_LIBRARIES_H_
