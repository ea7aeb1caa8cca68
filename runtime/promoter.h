// Promotes hot functions: gives them optimized bodies, and running ones an OSR continuation.
//
// Calls of a first body are counted between its stub and the body (stubs/call_counter.h). The
// promoter's thread looks at the counters from time to time. Loops of first bodies count their
// iterations (osr/hotness_polls.h) and ask the promoter when their counter has run out. Functions
// that are hot or have asked wait on a list. The thread takes the hottest function from the list
// and has it optimized. It publishes the optimized body, or keeps the continuation until the loop
// asks again. With zero promotion threads, calls ask like loops, and the asking thread optimizes
// the function at once. First bodies are never freed before their module is, because a thread may
// be running them.
//
// The promoter's thread starts when the first function or loop turns out to be hot: when a counter
// runs out, or when a loop has been running for 20 ms, which the loop's early polls find out. A
// program that ends before that keeps a single thread.
//
// This class connects the parts: what is known about each function (runtime/hot_functions.h), who
// waits (runtime/asking_stack.h, runtime/waiting_list.h), what is being optimized
// (runtime/promotion_jobs.h), by which threads (runtime/promotion_threads.h), what polls may cost
// (runtime/poll_budget.h) and when optimized bodies must wait (runtime/startup_phase.h).
//
// Thread-safe. Asking takes no lock and no memory, so that a signal handler may be what asks. There
// are two exceptions: there are to be no threads, or a forked child has none yet. Then a signal
// handler that has interrupted the engine's work does nothing. Tested in
// tests/api/promotion_test.cc, tests/api/promotion_lifetime_test.cc and
// tests/api/promotion_stress_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTER_H_
#define FIRSTCALL_RUNTIME_PROMOTER_H_

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
#include "code/hotness_signs.h"
#include "runtime/asking_stack.h"
#include "runtime/code_space.h"
#include "runtime/function_table.h"
#include "runtime/hot_function.h"
#include "runtime/hot_functions.h"
#include "runtime/optimized_bodies.h"
#include "runtime/options.h"
#include "runtime/poll_budget.h"
#include "runtime/promotion_counters.h"
#include "runtime/promotion_job.h"
#include "runtime/promotion_jobs.h"
#include "runtime/promotion_stats.h"
#include "runtime/promotion_threads.h"
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
  // hotness matters more than time.
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
  absl::Status PrepareToCountCalls(FunctionKey key, HotnessSigns signs) ABSL_LOCKS_EXCLUDED(mutex_);

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
  // Puts back on the list what threads were about that this process, a forked child, does not have.
  void TakeOverJobs() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void* Ask(HotnessCounter* counter, uint32_t loop);
  // What a function that has asked is told, and what its thread is to do.
  struct Answer {
    void* code = nullptr;             // Where the function goes on; null: where it is.
    HotFunction* to_serve = nullptr;  // To be optimized at once.
    Promoter* to_start = nullptr;     // Its threads are missing in this process.
  };
  Answer Register(HotFunction& function, uint32_t loop);
  void NoticeRunOut(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_);
  Answer AnswerEarlyPoll(HotFunction& function);
  // If this may be a signal handler, the threads start with the next first body. The caller is at
  // work.
  void StartThreadsNowOrLater() ABSL_LOCKS_EXCLUDED(mutex_);
  // If the threads are missing. The caller is at work.
  void StartThreads() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What the threads do.
  PromotionThreads::Found LookForWork() ABSL_LOCKS_EXCLUDED(mutex_);
  PromotionThreads::Served ServeNext(std::atomic<int>* attended) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether optimized bodies wait for first bodies.
  bool MustWait() const { return looks_at_counters_ && startup_.is_on(); }
  // The hottest function that has asked and need not wait; null if there is none.
  HotFunction* TakeHottest() ABSL_LOCKS_EXCLUDED(mutex_);
  // Puts functions that were called so often on the list. Returns whether there are any.
  bool LookAtCounters() ABSL_LOCKS_EXCLUDED(mutex_);
  HotFunction& FunctionOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsWarm(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  // Optimizes the function and gives it the answer. `attended` as UnattendedWork's. If the job is
  // abandoned, the promoter may be gone.
  PromotionJob::Outcome Serve(HotFunction& function, std::atomic<int>* attended)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Null if the budget for optimization is used up.
  std::shared_ptr<PromotionJob> BeginJob(HotFunction& function) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<OptimizedBodies::Body> Optimize(PromotionJob& job, uint32_t wanted,
                                                 std::atomic<int>* attended)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveAnswer(HotFunction& function, uint32_t wanted,
                  const absl::StatusOr<OptimizedBodies::Body>& body) ABSL_LOCKS_EXCLUDED(mutex_);
  // See PromotionJobs.
  bool Abandon(const OwnThread& thread) ABSL_LOCKS_EXCLUDED(mutex_);
  bool AbandonJobs() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::unique_ptr<HotFunction>> Take(const SourceModule& module)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int32_t interval_;  // What a counter begins with.
  const bool looks_at_counters_;
  CodeSpace& code_space_;
  FunctionTable& table_;
  OptimizedBodies& bodies_;
  const absl::Duration start_ = SteadyNow();
  PollBudget poll_budget_;
  StartupPhase startup_{start_};
  AskingStack asking_;
  mutable absl::Mutex mutex_;
  HotFunctions functions_ ABSL_GUARDED_BY(mutex_);
  absl::Duration last_look_ ABSL_GUARDED_BY(mutex_) = start_;
  WaitingList waiting_ ABSL_GUARDED_BY(mutex_);
  PromotionJobs jobs_ ABSL_GUARDED_BY(mutex_);
  absl::Duration budget_left_ ABSL_GUARDED_BY(mutex_);
  PromotionThreads threads_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTER_H_
