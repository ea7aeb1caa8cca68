// A promoter's share of the threads that look for hot functions and optimize them
// (runtime/promotion/promotion_crew.h). The share begins when the promoter first needs threads, and
// again in a forked child. The share ends with the promoter or with the process.
//
// At exit, and while the promoter stops, the library waits for the threads that work for the
// promoter, except those whose work is unattended (see UnattendedWork).
//
// Thread-safe. Asking for the threads' state and waking them takes no lock and no memory, so it is
// async-signal-safe. Tested in tests/api/promotion_lifetime_test.cc and
// tests/api/promotion_stress_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_THREADS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_THREADS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/own_thread.h"
#include "runtime/process/exit_hook.h"
#include "runtime/promotion/promotion_crew.h"

namespace firstcall {

class PromotionThreads {
 public:
  using Found = PromotionCrew::Found;
  using Served = PromotionCrew::Served;
  using Tasks = PromotionCrew::Tasks;
  static constexpr absl::Duration kShortestPause = PromotionCrew::kShortestPause;
  static constexpr absl::Duration kLongestPause = PromotionCrew::kLongestPause;

  // `count` is the number of threads that are wanted; it may be 0. Starts no thread yet.
  PromotionThreads(size_t count, Tasks tasks);
  // Stop must have been called.
  ~PromotionThreads();
  PromotionThreads(const PromotionThreads&) = delete;
  PromotionThreads& operator=(const PromotionThreads&) = delete;

  // Whether there are to be any threads.
  bool are_used() const { return count_ > 0; }
  // Whether threads were started, in this process or before a fork in its parent.
  bool were_started() const { return member_.load(std::memory_order_acquire) != nullptr; }
  // Whether there are to be threads, and this process has none.
  bool are_missing() const;
  // Whether this process should have threads: they were started, or an attempt failed, or Need was
  // called.
  bool are_needed() const { return are_needed_ || were_started(); }
  // Makes the threads needed, but does not start them.
  void Need() { are_needed_ = true; }

  // Starts the threads if they are missing and are not stopping. Returns whether it started any. If
  // the system provides no thread, the threads stay needed. The caller is at work.
  bool Start() ABSL_LOCKS_EXCLUDED(mutex_);

  // Tells one thread that there is work. Has no effect if no threads were started.
  void Wake();

  // Whether no further work may begin.
  bool are_stopping() const { return are_stopping_; }
  // From now on no further work begins.
  void BeginToStop();

  // Ends the share. If a thread does not finish its piece of work within UnattendedWork::kPatience,
  // and `abandon` returns true for this thread, the thread is left alone, and must not touch the
  // promoter any more. BeginToStop must have been called. Returns false if the process exits. Then
  // the caller need not wait for these threads, nor for others that use the promoter.
  bool Stop(absl::FunctionRef<bool(const OwnThread& thread)> abandon) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void StopForExit();

  const size_t count_;
  const Tasks tasks_;
  std::atomic<bool> are_needed_{false};  // The threads should start, and have not yet.
  std::atomic<bool> are_stopping_{false};
  std::atomic<bool> is_exiting_{false};
  // The member of this process. In a forked child, the parent's member until the child joins a crew
  // of its own.
  std::atomic<PromotionCrew::Member*> member_{nullptr};
  absl::Mutex mutex_;
  std::shared_ptr<PromotionCrew::Member> member_owner_ ABSL_GUARDED_BY(mutex_);  // Owns `member_`.
  // Members of the parent, kept because a thread of this process may be about to wake their
  // threads.
  std::vector<std::shared_ptr<PromotionCrew::Member>> parents_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_THREADS_H_
