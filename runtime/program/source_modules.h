// The source modules of an engine, in the order of addition, and which of them have to be
// constructed or destroyed.
//
// Thread-safe. Tested in tests/runtime/source_modules_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_SOURCE_MODULES_H_
#define FIRSTCALL_RUNTIME_PROGRAM_SOURCE_MODULES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "runtime/link/source_module.h"
#include "runtime/program/construction.h"

namespace firstcall {

class SourceModules {
 public:
  SourceModules() = default;
  SourceModules(const SourceModules&) = delete;
  SourceModules& operator=(const SourceModules&) = delete;

  // Returns an identifier that no module of this engine has or had.
  ModuleId NextId() ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds a module, whose constructors have to run from now on.
  void Add(std::shared_ptr<SourceModule> module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the module, which exists as long as the caller holds it; null if no module has that
  // identifier.
  std::shared_ptr<SourceModule> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Like Find, for a caller that is going to remove or detach the module. Also null if another
  // caller has claimed it. The caller must call ReleaseClaim in the end, whether or not the module
  // was removed.
  std::shared_ptr<SourceModule> ClaimForRemoval(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);
  void ReleaseClaim(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes a module off the list and returns it; null if it is not on the list. Its constructors and
  // destructors do not have to run any more.
  std::shared_ptr<SourceModule> Remove(ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);

  // All modules, in the order of addition.
  std::vector<std::shared_ptr<SourceModule>> All() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The construction of these modules, and of no others.
  Construction& construction() { return construction_; }

 private:
  Construction construction_;
  mutable absl::Mutex mutex_;
  uint32_t next_id_ ABSL_GUARDED_BY(mutex_) = 0;
  // In the order of addition, which is the order of the identifiers.
  absl::btree_map<ModuleId, std::shared_ptr<SourceModule>> modules_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<ModuleId> claimed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_SOURCE_MODULES_H_
