// A recursive mutex for threads that are at work. A thread that waits for a WorkMutex does not keep
// a fork waiting (AwaitedWork). If another thread holds a WorkMutex while this thread forks, the
// mutex is free in the child.
//
// Thread-safe. Tested in tests/runtime/awaited_work_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_WORK_MUTEX_H_
#define FIRSTCALL_RUNTIME_PROCESS_WORK_MUTEX_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "runtime/process/awaited_work.h"

namespace firstcall {

class WorkMutex {
 public:
  // The names are those that std::unique_lock wants.
  void lock() {
    if (!try_lock()) AwaitedWork::Wait([this] { return try_lock(); });
  }

  bool try_lock() ABSL_LOCKS_EXCLUDED(mutex_) {
    const uint64_t self = AwaitedWork::OwnNumber();
    absl::MutexLock lock(&mutex_);
    if (owner_ == self) {
      ++depth_;
      return true;
    }
    if (owner_ != 0) {
      if (!AwaitedWork::IsOfParent(owner_)) return false;
      was_left_ = true;
    }
    owner_ = self;
    depth_ = 1;
    return true;
  }

  // Locks the mutex and returns true. Returns false instead if the thread that holds the mutex
  // waits itself, perhaps for this thread, and `may_go_on` returns true.
  bool LockUnless(absl::FunctionRef<bool()> may_go_on) {
    bool is_locked = try_lock();
    if (is_locked) return true;
    AwaitedWork::Wait([&] {
      is_locked = try_lock();
      return is_locked || (HolderWaits() && may_go_on());
    });
    return is_locked;
  }

  void unlock() ABSL_LOCKS_EXCLUDED(mutex_) {
    {
      absl::MutexLock lock(&mutex_);
      if (--depth_ > 0) return;
      owner_ = 0;
    }
    AwaitedWork::Tell();
  }

  // Whether the mutex was held by a thread that a fork has left in the parent, in the middle of
  // what the mutex guards. Returns true only once. The calling thread must hold the mutex.
  bool WasLeftByParent() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const bool was_left = was_left_;
    was_left_ = false;
    return was_left;
  }

 private:
  bool HolderWaits() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return AwaitedWork::IsWaiting(owner_);
  }

  mutable absl::Mutex mutex_;
  uint64_t owner_ ABSL_GUARDED_BY(mutex_) = 0;  // A thread's number; 0: nobody holds it.
  size_t depth_ ABSL_GUARDED_BY(mutex_) = 0;
  bool was_left_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_WORK_MUTEX_H_
