// Which modules are to be constructed, which are being constructed, and which are to be destroyed.
//
// Thread-safe. Tested in tests/api/constructors_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_CONSTRUCTION_H_
#define FIRSTCALL_RUNTIME_PROGRAM_CONSTRUCTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "memory/executor_address.h"
#include "runtime/link/source_module.h"

namespace firstcall {

// A constructor or destructor of a source module or an object file.
struct LifecycleStep {
  int64_t priority;
  // Null for an object file: only the address is known. May be removed before the step runs.
  std::shared_ptr<SourceModule> module;
  SymbolOrdinal function;
  ExecutorAddress address;
};

class Construction {
 public:
  using Steps = std::vector<LifecycleStep>;

  // While a thread has a Turn, no other thread has one. Turns of a thread nest. The constructor
  // waits for the other thread's Turn, but not in a callback of a compile: the other thread may
  // wait for this compile.
  class Turn {
   public:
    explicit Turn(Construction& construction);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Whether the thread had no Turn before this one.
    bool is_outermost() const ABSL_LOCKS_EXCLUDED(construction_.mutex_);

   private:
    Construction& construction_;
    const bool is_of_callback_;
  };

  void Add(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `module` has constructors that have not run to their ends.
  bool IsUnfinished(const SourceModule& module) const ABSL_LOCKS_EXCLUDED(mutex_);

  // The constructors that have to run: those that were put back, then those of the modules that
  // were added since the last call. The caller must run them, or put them back.
  struct Taken {
    Steps steps;
    std::vector<std::shared_ptr<SourceModule>> modules;  // Those that were added.
  };
  Taken TakeConstructors() ABSL_LOCKS_EXCLUDED(mutex_);
  void PutBack(Steps steps) ABSL_LOCKS_EXCLUDED(mutex_);

  // While this exists, a constructor runs. From its beginning on, the module is to be destroyed.
  class Run {
   public:
    Run(Construction& construction, const LifecycleStep& step);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    Construction& construction_;
    const LifecycleStep& step_;
  };

  // The modules that are to be destroyed; from now on none is.
  std::vector<std::shared_ptr<SourceModule>> TakeToDestroy() ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether `module` is to be destroyed; from now on it is not.
  bool TakeToDestroy(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Begins a Turn. Returns false if another thread has one.
  bool Begin() ABSL_LOCKS_EXCLUDED(mutex_);

  // Taken in a ForkScope, so that no fork happens while it is held.
  mutable absl::Mutex mutex_;
  // In the order of addition, which is the order of the identifiers.
  absl::btree_map<ModuleId, SourceModule*> to_construct_ ABSL_GUARDED_BY(mutex_);
  Steps put_back_ ABSL_GUARDED_BY(mutex_);
  // Of modules whose constructors were taken: how many have not ended.
  absl::btree_map<ModuleId, size_t> unfinished_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<ModuleId, SourceModule*> to_destroy_ ABSL_GUARDED_BY(mutex_);
  // The turns, one within the other, and their thread.
  size_t turns_ ABSL_GUARDED_BY(mutex_) = 0;
  std::thread::id thread_ ABSL_GUARDED_BY(mutex_);
  uint64_t process_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_CONSTRUCTION_H_
