// Gives functions that have turned out to be hot their better bodies, and running ones a
// continuation.
//
// Calls of a first body are counted between its stub and the body (stubs/call_counter.h). The
// promoter's thread looks at the counters from time to time. Loops of first bodies count their
// iterations (osr/heat_polls.h) and ask the promoter when their counter has run out. Hot
// functions are put on a list. The thread takes the hottest function from it and has it optimized.
// It publishes the optimized body, or keeps the continuation until the loop asks again. With zero
// promotion threads, calls ask like loops, and the asking thread optimizes the function at once.
// First bodies are never freed before their module is, because a thread may be running them.
//
// The promoter's thread starts when the first function or loop turns out to be hot: when a counter
// runs out, or when a loop has been running for 20 ms, which the loop's early polls find out. A
// program that ends before that keeps a single thread.
//
// Thread-safe. Asking takes no lock and no memory, so that a signal handler may be what asks; only
// without a thread, and until a forked child has one of its own, must a handler not have
// interrupted what it would have to do, and if that is the engine's work, nothing is done.

#ifndef FIRSTCALL_RUNTIME_PROMOTER_H_
#define FIRSTCALL_RUNTIME_PROMOTER_H_

#include <semaphore.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/own_thread.h"
#include "base/steady_clock.h"
#include "code/heat_signs.h"
#include "runtime/asking_stack.h"
#include "runtime/code_space.h"
#include "runtime/exit_hook.h"
#include "runtime/function_table.h"
#include "runtime/hot_function.h"
#include "runtime/hot_functions.h"
#include "runtime/optimized_bodies.h"
#include "runtime/options.h"
#include "runtime/poll_budget.h"
#include "runtime/promotion_counters.h"
#include "runtime/promotion_stats.h"
#include "runtime/startup_phase.h"
#include "runtime/waiting_list.h"

namespace firstcall {

class Promoter {
 public:
  // All must outlive the promoter.
  Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
           OptimizedBodies& bodies);
  ~Promoter();
  Promoter(const Promoter&) = delete;
  Promoter& operator=(const Promoter&) = delete;

  // Whether a thread looks at the counters from time to time, so that functions need not ask when
  // they are called.
  bool looks_at_counters() const { return looks_at_counters_; }

  // What polls may cost. Nothing is refused if functions ask when they are called, because then
  // heat matters more than time.
  PollBudget& poll_budget() { return poll_budget_; }

  StartupPhase& startup() { return startup_; }

  // What `key` polls with; made now if this is the first time. The caller is at work (see
  // WorkScope). ResourceExhausted if there is no memory for it.
  absl::StatusOr<ExecutorAddress> CounterOf(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // What a first body has cost, together with those it was compiled with.
  struct Cost {
    size_t code_bytes = 0;
    absl::Duration time;
  };

  // For a function that is to be published: makes what its calls will be counted with.
  // ResourceExhausted if there is no memory for it.
  absl::Status PrepareToCountCalls(FunctionKey key, HeatSigns signs) ABSL_LOCKS_EXCLUDED(mutex_);

  // Where calls of `key`, for which that was done, are to go to be counted before they go to its
  // first body; the body itself if it asks when it is called.
  ExecutorAddress CountCalls(FunctionKey key, ExecutorAddress body, Cost cost)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, which nobody runs any more. In an ExclusiveWorkScope. Does
  // not wait for one that is being optimized.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets them, although they go on to run and to count. In an ExclusiveWorkScope. The counters
  // are the caller's to free.
  std::vector<PromotionCounters> Detach(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Begins nothing any more, and ends what is being compiled early: in some milliseconds, or else
  // it goes on without the engine and comes to nothing. What it uses of the engine's is not touched
  // any more.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of calls and iterations counted is no more exact than the threshold.
  PromotionStats Collect() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Job;
  struct Team;
  class Serving;

  // Puts back on the list what threads were about that this process, a forked child, does not have.
  void TakeOverJobs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void* Ask(HeatCounter* counter, uint32_t loop);
  // What a function that has asked is told: to go on elsewhere, or to see to it itself.
  struct Answer {
    void* code = nullptr;
    HotFunction* to_serve = nullptr;
    Promoter* to_start = nullptr;  // Whose threads are missing in this process.
  };
  Answer Register(HotFunction& function, uint32_t loop);
  void NoticeRunOut(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_);
  Answer AnswerEarlyPoll(HotFunction& function);
  // Leaves it to the next first body if this may be a signal handler. The caller is at work.
  void StartThreadsNowOrLater() ABSL_LOCKS_EXCLUDED(mutex_);
  bool LacksThread() const;
  void EnsureThread() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work(const std::shared_ptr<Team>& team);
  // Takes the hottest of those that have asked and need not wait; null if there is none.
  HotFunction* TakeHottest() ABSL_LOCKS_EXCLUDED(mutex_);
  // Lets those ask that were called so often; whether there are any.
  bool LookAtCounters() ABSL_LOCKS_EXCLUDED(mutex_);
  HotFunction& FunctionOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWarm(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  enum class Served {
    kAnswered,
    kDropped,    // The function is gone,
    kAbandoned,  // or the promoter.
  };
  // `attended`: see UnattendedWork.
  Served Serve(HotFunction& function, std::atomic<int>* attended) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveAnswer(HotFunction& function, uint32_t wanted,
                  const absl::StatusOr<OptimizedBodies::Body>& body) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether what `thread` does was unattended, and will end without the promoter.
  bool Abandon(const OwnThread& thread) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for all threads. False if one of them still needs the promoter for a moment.
  bool AbandonJobs() ABSL_LOCKS_EXCLUDED(mutex_);
  void StopForExit();
  std::vector<std::unique_ptr<HotFunction>> Take(const SourceModule& module)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int32_t interval_;  // What a counter begins with.
  const size_t thread_count_;
  const bool looks_at_counters_;
  CodeSpace& code_space_;
  FunctionTable& table_;
  OptimizedBodies& bodies_;
  const absl::Duration start_ = SteadyNow();
  PollBudget poll_budget_;
  StartupPhase startup_{start_};
  std::atomic<bool> needs_thread_{false};  // One was to begin, and could not.
  std::atomic<bool> is_stopping_{false};
  std::atomic<bool> is_exiting_{false};
  AskingStack asking_;
  mutable absl::Mutex mutex_;
  HotFunctions functions_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_look_ ABSL_GUARDED_BY(mutex_) = start_;
  WaitingList waiting_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
  absl::Duration budget_left_ ABSL_GUARDED_BY(mutex_);
  // The threads of this process: a forked child makes its own.
  std::atomic<Team*> team_{nullptr};
  std::shared_ptr<Team> team_owner_ ABSL_GUARDED_BY(mutex_);  // Of `team_`.
  std::unique_ptr<ExitHook> exit_hook_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTER_H_
