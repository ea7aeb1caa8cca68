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
#include "runtime/program/construction.h"

namespace firstcall {

class DModules {
 public:
  using Modules = std::vector<std::shared_ptr<SourceModule>>;

  DModules(Linkage& linkage, Construction& construction);  // Both must outlive this.
  ~DModules();
  DModules(const DModules&) = delete;
  DModules& operator=(const DModules&) = delete;

  // To be called with modules that are about to be constructed, before their code runs. If one of
  // them is in D, and the process has D's runtime, links the data of all of them, and makes a file
  // for them: natively they would all be in one file. Otherwise does nothing. Errors are those of
  // linking, Unavailable if the file cannot be made, and ResourceExhausted if it cannot have so
  // many ranges of data; after an error, the next call prepares these modules, too.
  absl::Status Prepare(Modules modules) ABSL_LOCKS_EXCLUDED(mutex_);

  // Registers what was prepared since the last call. If D's runtime is initialized already, it
  // calls the constructors now. To be called in a Construction::Turn.
  void Register() ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes back what was registered, the last first. If D's runtime is not terminated yet, it calls
  // the destructors now.
  void Unregister() ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for the modules that share a file with `module`, if it has one. To be called before
  // the module is removed. Waits while another thread registers.
  void UnregisterFileOf(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `module` has a file, or is to have one.
  bool Has(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether this thread registers `module` just now: D's runtime calls its constructors.
  bool IsRegistering(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Member;
  struct Linked;
  struct Group;
  using Groups = std::vector<std::shared_ptr<Group>>;

  // Null if there is nothing to register.
  absl::StatusOr<std::shared_ptr<Group>> Make(const Modules& modules);
  // Links the data of the modules that were not removed.
  absl::StatusOr<Linked> LinkData(const Modules& modules);
  // The first of `groups` that has `module`, or their end.
  static Groups::iterator Find(Groups& groups, const SourceModule& module);
  std::shared_ptr<Group> TakeLast() ABSL_LOCKS_EXCLUDED(mutex_);

  Linkage& linkage_;
  Construction& construction_;
  absl::Mutex mutex_;
  Modules failed_ ABSL_GUARDED_BY(mutex_);  // Those that Prepare could not prepare.
  Groups prepared_ ABSL_GUARDED_BY(mutex_);
  Groups registered_ ABSL_GUARDED_BY(mutex_);
  // What is being registered, by a thread that has a Construction::Turn.
  std::shared_ptr<Group> registering_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_D_MODULES_H_
