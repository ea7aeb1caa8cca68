// Promotes hot functions: gives them optimized bodies, and OSR continuations if they are running.
//
// Calls of a first body are counted between its stub and the body (stubs/call_counter.h). A
// promotion thread (the promoters of a process share them: runtime/promotion/promotion_crew.h)
// looks at the counters from time to time. Loops of first bodies count their iterations
// (backend/baseline/polls.h, splitter/osr/hotness_polls.h) and ask the promoter when their counter
// has run out. Functions that are hot or have asked wait on a list. The promotion thread takes the
// most urgent function from the list and has it optimized. If the list is empty, the thread takes a
// function that is nearly hot. The thread publishes the optimized body, or keeps the OSR
// continuation until the loop asks again. With zero promotion threads, calls ask like loops, and
// the asking thread optimizes the function at once. First bodies are freed only with their module,
// because a thread may be running them.
//
// The promoter asks for promotion threads when the first counter runs out, or when a loop's early
// polls find that the loop has been running for 20 ms. If a program ends earlier, the promoter
// starts no thread.
//
// This class connects the parts: the facts about each function (runtime/promotion/hot_functions.h),
// the functions that have just asked (runtime/promotion/asking_stack.h), the order in which
// functions are served (runtime/promotion/promotion_schedule.h), how a function is served
// (runtime/promotion/hot_function_optimizer.h), the threads
// (runtime/promotion/promotion_threads.h), the cost of polls (runtime/promotion/poll_budget.h) and
// the time when optimized bodies must wait (runtime/promotion/startup_phase.h).
//
// Thread-safe. Asking takes no lock and no memory, so a signal handler may ask. There are two
// exceptions: zero promotion threads, and a process that has not started its threads yet, such as a
// forked child. Then a signal handler neither optimizes nor starts threads. Tested in
// tests/api/promotion_test.cc, tests/api/promotion_lifetime_test.cc and
// tests/api/promotion_stress_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTER_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/own_thread.h"
#include "base/steady_clock.h"
#include "runtime/link/code_space.h"
#include "runtime/link/function_table.h"
#include "runtime/link/promotion_counters.h"
#include "runtime/promotion/asking_stack.h"
#include "runtime/promotion/continuations.h"
#include "runtime/promotion/counting_bodies.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/hot_function_optimizer.h"
#include "runtime/promotion/hot_functions.h"
#include "runtime/promotion/optimized_bodies.h"
#include "runtime/promotion/poll_budget.h"
#include "runtime/promotion/promotion_schedule.h"
#include "runtime/promotion/promotion_threads.h"
#include "runtime/promotion/startup_phase.h"
#include "seam/hotness_signs.h"
#include "seam/options.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class Promoter {
 public:
  // All must outlive the promoter.
  Promoter(const PromotionOptions& options, CodeSpace& code_space, FunctionTable& functions,
           OptimizedBodies& bodies, CountingBodies& counting_bodies);
  ~Promoter();
  Promoter(const Promoter&) = delete;
  Promoter& operator=(const Promoter&) = delete;

  // Sets what a promotion thread does besides, whenever it looks for work. The thread is at work.
  // Call this once, before any function is published.
  void SetOtherWork(std::function<void()> work) { other_work_ = std::move(work); }

  // Whether a thread looks at the call counters from time to time. If not, functions ask when they
  // are called.
  bool looks_at_counters() const { return looks_at_counters_; }

  // Limits the time that polls may cost. If functions ask when they are called, no poll is refused,
  // because hotness then matters more than time.
  PollBudget& poll_budget() { return poll_budget_; }

  StartupPhase& startup() { return startup_; }

  // Returns the hotness counter of `key`; makes it if there is none. The caller is at work (see
  // WorkScope). ResourceExhausted if there is no memory.
  absl::StatusOr<ExecutorAddress> CounterOf(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // The cost of a first body, together with the bodies in the same object.
  struct Cost {
    size_t code_bytes = 0;
    absl::Duration time;
  };

  // Makes call counters for those of `functions` whose signs ask for one. `functions` belong to
  // `module` and will be published. ResourceExhausted if there is no memory.
  absl::Status PrepareToCountCalls(SourceModule& module, absl::Span<const SymbolOrdinal> functions,
                                   absl::Span<const HotnessSigns> signs)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the address to publish for `key`: that of the call counter, which goes on to the first
  // body; or `body` if calls of `key` are not counted. PrepareToCountCalls must have succeeded.
  ExecutorAddress AddressToPublish(FunctionKey key, ExecutorAddress body, Cost cost)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Notes that `key` begins with an optimized body from the cache. The body has `code_bytes` of
  // code and took `time` to link.
  void NoteCachedBody(FunctionKey key, size_t code_bytes, absl::Duration time)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Notes that functions will be hot: when one of them is optimized, the others are imported as if
  // they had been called often.
  void NoteHot(absl::Span<const FunctionKey> keys) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives the function its optimized body now, if it has a first body that may be replaced. If
  // another thread is giving the function its optimized body, does nothing. A failure is noted in
  // the statistics. The caller is at work. Blocks on the compile; after that the module may have
  // been removed.
  void OptimizeNow(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, which no thread may run any more, and frees their counters.
  // The caller holds an ExclusiveWorkScope. Does not wait for a function that is being optimized.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the functions of `module`, which may still run and count. The caller holds an
  // ExclusiveWorkScope. Returns the counters, which the caller must free.
  std::vector<PromotionCounters> Detach(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // Begins no further optimization, and ends those in progress early. An optimization that does not
  // end within some milliseconds is abandoned: it no longer touches the engine, and its result is
  // dropped.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the statistics. Numbers of calls and iterations are multiples of the threshold.
  PromotionStats Collect() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The handlers of polls: in the IR of a body, and in machine code.
  static void* Ask(HotnessCounter* counter, uint32_t loop);
  static const LoopExit* AskToLeave(HotnessCounter* counter, uint32_t loop);
  // What both do. The thread must not be cancelled meanwhile (WithoutCancellation).
  static Continuations::Entrance ContinuationFor(HotnessCounter* counter, uint32_t loop,
                                                 bool is_in_code);
  // The answer to a function that has asked, and what the asking thread has to do next.
  struct Answer {
    Continuations::Entrance continuation;  // Without code: the function goes on in its body.
    HotFunction* to_serve = nullptr;       // The asking thread must optimize this function at once.
    Promoter* to_start = nullptr;          // The asking thread must start this promoter's threads.
  };
  Answer Register(HotFunction& function, uint32_t loop);
  void NoticeRunOut(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_);
  Answer AnswerEarlyPoll(HotFunction& function);
  // Starts the threads now. If the caller may be a signal handler, the threads start later, with
  // the next first body. The caller is at work.
  void StartThreadsNowOrLater() ABSL_LOCKS_EXCLUDED(mutex_);
  // The tasks of the threads.
  PromotionThreads::Found LookForWork() ABSL_LOCKS_EXCLUDED(mutex_);
  PromotionThreads::Served ServeNext(std::atomic<int>* attended) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether optimization must wait, because most of the time goes into first bodies.
  bool MustWait() const { return looks_at_counters_ && startup_.is_on(); }
  // Asks the object cache for what functions wait for.
  void SeekInCache() ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes the function that is to be served next (see PromotionSchedule::TakeNext).
  HotFunction* TakeNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // Finds out once how many processors the process may use.
  void NoteProcessors() ABSL_LOCKS_EXCLUDED(mutex_);
  void BeginBooks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Puts the functions on the list whose counters show that they are hot. Returns whether there
  // were any.
  bool LookAtCounters() ABSL_LOCKS_EXCLUDED(mutex_);
  HotFunction& FunctionOf(FunctionKey key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // See PromotionJobs.
  bool Abandon(const OwnThread& thread) ABSL_LOCKS_EXCLUDED(mutex_);
  bool AbandonJobs() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::unique_ptr<HotFunction>> Take(const SourceModule& module)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int32_t interval_;  // The initial value of a counter.
  const bool looks_at_counters_;
  std::function<void()> other_work_;  // May be empty.
  std::atomic<bool> knows_processors_{false};
  CodeSpace& code_space_;
  const absl::Duration start_ = SteadyNow();
  PollBudget poll_budget_;
  StartupPhase startup_{start_};
  AskingStack asking_;
  mutable absl::Mutex mutex_;
  HotFunctions functions_ ABSL_GUARDED_BY(mutex_);
  PromotionSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  HotFunctionOptimizer optimizer_;  // Shares the three members above.
  PromotionThreads threads_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTER_H_
