// The optimization of one hot function, by one thread. Meanwhile the function or the promoter may
// go. Then the thread and the one who takes them away each change the job's state; the later one
// sees that it has lost.
//
// Thread-safe. The function must not be used by a thread whose job was dropped or abandoned. Tested
// in tests/runtime/promotion_jobs_test.cc. Tested in tests/runtime/promotion_jobs_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_JOB_H_
#define FIRSTCALL_RUNTIME_PROMOTION_JOB_H_

#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>

#include "absl/functional/function_ref.h"
#include "runtime/hot_function.h"
#include "runtime/stop_flag.h"
#include "runtime/unattended_work.h"

namespace firstcall {

class PromotionJob {
 public:
  // By the calling thread, in the calling process.
  explicit PromotionJob(HotFunction& function) : function_(function) {}
  PromotionJob(const PromotionJob&) = delete;
  PromotionJob& operator=(const PromotionJob&) = delete;

  // The calling thread does the job.
  class Scope {
   public:
    explicit Scope(const PromotionJob& job);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const PromotionJob* const outer_;
  };

  HotFunction& function() const { return function_; }
  pthread_t thread() const { return thread_; }
  // Whether the calling thread does the job. A forked child has a copy of the forking thread.
  bool IsOfThisThread() const;
  bool IsOfThisProcess() const { return process_ == getpid(); }

  // Set when the result is no longer wanted.
  const std::shared_ptr<StopFlag>& stop() const { return stop_; }

  // --- For the thread that does the job ---

  // Runs `passes` unattended; `attended` as UnattendedWork's. Returns whether the result is still
  // wanted.
  bool RunPasses(absl::FunctionRef<void()> passes, std::atomic<int>* attended) {
    state_ = State::kUnattended;
    {
      UnattendedWork unattended(attended);
      passes();
    }
    return Change(State::kUnattended, State::kAttended);
  }

  enum class Outcome {
    kDone,       // The function waits for its answer.
    kDropped,    // The function is gone.
    kAbandoned,  // The promoter is gone, too.
  };
  // To be called when the optimization has ended.
  Outcome Finish() {
    if (state_ == State::kAbandoned) return Outcome::kAbandoned;
    if (Change(State::kDropped, State::kForgotten)) return Outcome::kDropped;
    return state_ == State::kAttended ? Outcome::kDone : Outcome::kAbandoned;
  }

  // --- For the one who takes the function or the promoter away ---

  bool is_dropped() const { return state_ == State::kDropped; }
  // The function is removed or detached. Returns whether the thread runs passes; then it goes on
  // without the function.
  bool Drop() { return Change(State::kUnattended, State::kDropped); }
  // The promoter stops. Returns whether the thread still runs passes; then it ends without touching
  // the promoter.
  bool Abandon() {
    return Change(State::kUnattended, State::kAbandoned) ||
           Change(State::kDropped, State::kAbandoned) || state_ == State::kAbandoned;
  }

 private:
  enum class State {
    kAttended,    // The thread is at work.
    kUnattended,  // The thread runs LLVM's passes (see UnattendedWork).
    kDropped,     // Meanwhile the function was removed or detached.
    kAbandoned,   // Meanwhile the promoter was stopped: the thread must not touch it.
    kForgotten,   // The thread has come back to a dropped job, and removes it from the list.
  };

  // Changes the state from `from` to `to`, and returns whether it was `from`. If two threads try to
  // change the same state, one of them succeeds.
  bool Change(State from, State to) { return state_.compare_exchange_strong(from, to); }

  HotFunction& function_;
  const pthread_t thread_ = pthread_self();
  const pid_t process_ = getpid();
  const std::shared_ptr<StopFlag> stop_ = std::make_shared<StopFlag>();
  std::atomic<State> state_{State::kAttended};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_JOB_H_
