// The threads that look for hot functions and optimize them: they start when there is a reason, and
// again in a forked child; they end with the promoter or with the process.
//
// A thread alternates between looking for work and doing it. It is at work meanwhile (see
// WorkScope). At exit, and while the promoter stops, the library waits for it, unless its work is
// unattended (see UnattendedWork).
//
// Thread-safe. Asking for the threads' state and waking them takes no lock and no memory, so it is
// async-signal-safe. Tested in tests/api/promotion_lifetime_test.cc and
// tests/api/promotion_stress_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_THREADS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_THREADS_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/own_thread.h"
#include "runtime/exit_hook.h"

namespace firstcall {

class PromotionThreads {
 public:
  // Between two looks: the pause doubles while nothing is found.
  static constexpr absl::Duration kShortestPause = absl::Milliseconds(2);
  static constexpr absl::Duration kLongestPause = absl::Milliseconds(64);

  enum class Found { kSomething, kNothing, kMustWait };
  enum class Served {
    kOne,
    kNone,       // There was nothing to do.
    kAbandoned,  // Meanwhile the promoter was stopped. It may be gone, and so may this object.
  };
  // What a thread does. The functions are called by all threads, each inside a WorkScope.
  struct Tasks {
    // Looks for work.
    std::function<Found()> look;
    // Does one piece of work, and looks again; `attended` as UnattendedWork's.
    std::function<Served(std::atomic<int>* attended)> serve;
  };

  // There are to be `count` threads, which may be 0. None is started yet.
  PromotionThreads(size_t count, Tasks tasks);
  // Stop must have been called.
  ~PromotionThreads();
  PromotionThreads(const PromotionThreads&) = delete;
  PromotionThreads& operator=(const PromotionThreads&) = delete;

  // Whether there are to be any.
  bool are_used() const { return count_ > 0; }
  // Whether any were started, here or in the process that this one is a copy of.
  bool were_started() const { return team_.load(std::memory_order_acquire) != nullptr; }
  // Whether there are to be any, and this process has none.
  bool are_missing() const;
  // Whether this process should have them: they were started, or were to be.
  bool are_needed() const { return are_needed_ || were_started(); }
  // Makes them needed, without starting them.
  void Need() { are_needed_ = true; }

  // Starts the threads if they are missing, unless they are to stop. Returns whether it has. If the
  // process can have no further thread, they stay needed. The caller is at work.
  bool Start() ABSL_LOCKS_EXCLUDED(mutex_);

  // There is something to do.
  void Wake();

  // Whether nothing must be begun any more.
  bool are_stopping() const { return are_stopping_; }
  // From now on nothing is begun.
  void BeginToStop() { are_stopping_ = true; }

  // Ends the threads. One that runs passes for longer than UnattendedWork::kPatience is left alone
  // if `abandon` returns true: it then does not touch the promoter any more. BeginToStop must have
  // been called. Returns false if the process exits. Then the threads need not be waited for, and
  // neither does anything else that uses the promoter.
  bool Stop(absl::FunctionRef<bool(const OwnThread& thread)> abandon) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Team;
  class Serving;

  void Work(Team& team);
  void StopForExit();

  const size_t count_;
  const Tasks tasks_;
  std::atomic<bool> are_needed_{false};  // They were to be started, and could not.
  std::atomic<bool> are_stopping_{false};
  std::atomic<bool> is_exiting_{false};
  // The threads of this process: a forked child makes its own.
  std::atomic<Team*> team_{nullptr};
  absl::Mutex mutex_;
  std::shared_ptr<Team> team_owner_ ABSL_GUARDED_BY(mutex_);  // Of `team_`.
  std::unique_ptr<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_THREADS_H_
