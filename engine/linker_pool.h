// Linkers for functions' objects, used again and again because making one costs more than linking a
// small object.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_LINKER_POOL_H_
#define FIRSTCALL_ENGINE_LINKER_POOL_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/mcjit_linker.h"
#include "engine/target.h"

namespace firstcall {

class LinkerPool {
 public:
  // Holds a linker, and returns it to the pool when destroyed.
  class Lease {
   public:
    Lease(Lease&& other) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (linker_ != nullptr) pool_->Return(std::move(linker_));
    }
    McjitLinker& operator*() const { return *linker_; }

   private:
    friend class LinkerPool;
    Lease(LinkerPool* pool, std::unique_ptr<McjitLinker> linker)
        : pool_(pool), linker_(std::move(linker)) {}
    LinkerPool* pool_;
    std::unique_ptr<McjitLinker> linker_;
  };

  // `target` must outlive the pool.
  explicit LinkerPool(const Target& target) : target_(target) {}

  Lease Take() ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      absl::MutexLock lock(&mutex_);
      if (!idle_.empty()) {
        Lease lease(this, std::move(idle_.back()));
        idle_.pop_back();
        return lease;
      }
    }
    return Lease(this, std::make_unique<McjitLinker>(target_));
  }

 private:
  void Return(std::unique_ptr<McjitLinker> linker) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    idle_.push_back(std::move(linker));
  }

  const Target& target_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<McjitLinker>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_LINKER_POOL_H_
