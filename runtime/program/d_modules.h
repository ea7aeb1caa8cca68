// Modules whose source is in D, as D's runtime library (druntime) wants to know of them: it calls
// the constructors and destructors of these modules, and its collector looks for references in
// their variables.
//
// A D compiler puts the address of each module's description into the section `__minfo`. Natively
// an object that is linked into each file passes the section's bounds to the runtime's function
// `_d_dso_registry`. The runtime then asks the dynamic linker for the file with that object's
// variables: for the file's segments of data, and for the number of its thread-local variables.
// Here this is a file that stands for the modules (runtime/process/stand_in_file.h). It tells of
// the modules' data, and threads have the modules' thread-local variables in the file's block.
// See docs/adr/0083-a-file-for-modules-in-d.md.
//
// A program without such modules pays for a look at its modules' sections.
//
// Thread-safe. Tested in tests/api/d_modules_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_D_MODULES_H_
#define FIRSTCALL_RUNTIME_PROGRAM_D_MODULES_H_

#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "runtime/link/linkage.h"
#include "runtime/link/source_module.h"

namespace firstcall {

class DModules {
 public:
  using Modules = std::vector<std::shared_ptr<SourceModule>>;

  explicit DModules(Linkage& linkage);  // `linkage` must outlive this.
  ~DModules();
  DModules(const DModules&) = delete;
  DModules& operator=(const DModules&) = delete;

  // To be called with modules that are about to be constructed, before their code runs. If one of
  // them is in D, and the process has D's runtime, links the data of all of them, and makes a file
  // for them: natively they would all be in one file. Otherwise does nothing. Errors are those of
  // linking, and Unavailable if the file cannot be made.
  absl::Status Prepare(const Modules& modules) ABSL_LOCKS_EXCLUDED(mutex_);

  // Registers what was prepared since the last call. If D's runtime is initialized already, it
  // calls the constructors now.
  void Register() ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes back what was registered, the last first. If D's runtime is not terminated yet, it calls
  // the destructors now.
  void Unregister() ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for the modules that share a file with `module`, if it has one. To be called before
  // the module is removed.
  void UnregisterFileOf(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Group;

  absl::StatusOr<std::unique_ptr<Group>> Make(const Modules& modules);
  std::unique_ptr<Group> TakeLast() ABSL_LOCKS_EXCLUDED(mutex_);

  Linkage& linkage_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Group>> prepared_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Group>> registered_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_D_MODULES_H_
