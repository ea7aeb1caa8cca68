// The optimization of one hot function, by one thread. Another thread may remove the function or
// stop the promoter meanwhile. Both threads then try to change the job's state; the thread whose
// change comes second fails, and so learns what the other one did.
//
// Thread-safe. If a job was dropped or abandoned, its thread must not use the function. Tested in
// tests/runtime/promotion_jobs_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOB_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOB_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "base/forks.h"
#include "runtime/process/unattended_work.h"
#include "runtime/promotion/hot_function.h"
#include "seam/stop_flag.h"

namespace firstcall {

class PromotionJob {
 public:
  // The calling thread, in the calling process, will do the job.
  explicit PromotionJob(HotFunction& function) : function_(function) {}
  PromotionJob(const PromotionJob&) = delete;
  PromotionJob& operator=(const PromotionJob&) = delete;

  // While this exists, the calling thread does the job.
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
  bool IsOfThisProcess() const { return process_ == ProcessIdentity(); }

  // Set when the result is no longer wanted.
  const std::shared_ptr<StopFlag>& stop() const { return stop_; }

  // --- For the thread that does the job ---

  // Runs `passes` unattended; `attended` is as in UnattendedWork. Returns whether the result is
  // still wanted.
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
    kDropped,    // The function was removed or detached.
    kAbandoned,  // The promoter was stopped: the thread must not touch it.
  };
  // To be called when the optimization has ended.
  Outcome Finish() {
    if (state_ == State::kAbandoned) return Outcome::kAbandoned;
    if (Change(State::kDropped, State::kForgotten)) return Outcome::kDropped;
    return state_ == State::kAttended ? Outcome::kDone : Outcome::kAbandoned;
  }

  // --- For the thread that removes the function or stops the promoter ---

  bool is_dropped() const { return state_ == State::kDropped; }
  // To be called when the function is removed or detached. Returns whether the job's thread runs
  // passes. If so, the thread no longer uses the function.
  bool Drop() { return Change(State::kUnattended, State::kDropped); }
  // To be called when the promoter stops. Returns whether the job's thread still runs passes. If
  // so, the thread ends and does not touch the promoter.
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
    kForgotten,   // The thread has ended the passes of a dropped job, and takes it off the list.
  };

  // Changes the state from `from` to `to`, and returns whether it was `from`. If two threads try to
  // change the same state, one of them succeeds.
  bool Change(State from, State to) { return state_.compare_exchange_strong(from, to); }

  HotFunction& function_;
  const pthread_t thread_ = pthread_self();
  const uint64_t process_ = ProcessIdentity();
  const std::shared_ptr<StopFlag> stop_ = std::make_shared<StopFlag>();
  std::atomic<State> state_{State::kAttended};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_JOB_H_
