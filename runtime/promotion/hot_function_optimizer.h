// Serves hot functions: makes what a function asks for, a counting body, an optimized body or an
// OSR continuation, and gives the function the answer.
//
// Shares the promoter's lock, and takes it for a moment only: nothing is compiled or linked under
// the lock. Thread-safe. Tested in tests/api/promotion_test.cc,
// tests/api/promotion_lifetime_test.cc and tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_OPTIMIZER_H_
#define FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_OPTIMIZER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "runtime/link/function_table.h"
#include "runtime/link/source_module.h"
#include "runtime/promotion/counting_bodies.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/hot_functions.h"
#include "runtime/promotion/optimized_bodies.h"
#include "runtime/promotion/promotion_books.h"
#include "runtime/promotion/promotion_job.h"
#include "runtime/promotion/promotion_schedule.h"
#include "seam/branch_counts.h"
#include "seam/hotness_counter.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class HotFunctionOptimizer {
 public:
  // `mutex` guards `functions` and `schedule`. If `counting_bodies` is null, functions get no
  // counting bodies. `start` is when the engine was made, as SteadyNow. All must outlive this.
  HotFunctionOptimizer(absl::Mutex& mutex, HotFunctions& functions, PromotionSchedule& schedule,
                       FunctionTable& table, OptimizedBodies& bodies,
                       CountingBodies* counting_bodies, absl::Duration start)
      : mutex_(mutex),
        functions_(&functions),
        schedule_(&schedule),
        table_(table),
        bodies_(bodies),
        counting_bodies_(counting_bodies),
        start_(start) {}
  HotFunctionOptimizer(const HotFunctionOptimizer&) = delete;
  HotFunctionOptimizer& operator=(const HotFunctionOptimizer&) = delete;

  // Makes what the function asks for, and gives it the answer. If the function gets a counting body
  // first, it goes on asking. `attended` is as in UnattendedWork. The caller is at work. Blocks on
  // the compile. After kAbandoned the promoter may be destroyed, together with this object.
  PromotionJob::Outcome Serve(HotFunction& function, std::atomic<int>* attended)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Asks the object cache for what functions wait for, and notes what it has
  // (HotFunction::NoteCached). The caller is at work. Blocks where the cache does.
  void SeekInCache(absl::Span<const PromotionSchedule::Sought> all) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A job, and what is known when it begins.
  struct Attempt {
    std::shared_ptr<PromotionJob> job;  // Null if the budget for optimization is used up.
    uint32_t wanted = kNoLoop;
    absl::Duration begun;        // As SteadyNow.
    absl::Duration thread_time;  // As ThreadTime.
    PromotionBooks::Prediction predicted;
  };
  Attempt Begin(HotFunction& function, uint32_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the function gets a counting body before the answer that it asks for.
  bool CountsFirst(const HotFunction& function, uint32_t wanted) ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives the function its counting body. The function goes on asking for its optimized body.
  PromotionJob::Outcome ServeCountingBody(const Attempt& attempt) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsWarm(FunctionKey key) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<BranchCounts> CountsOf(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<OptimizedBodies::Body> Optimize(PromotionJob& job, uint32_t wanted,
                                                 std::atomic<int>* attended)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Each finishes a job: publishes the code that the job has made, if any, and returns the outcome.
  PromotionJob::Outcome Conclude(const Attempt& attempt,
                                 const absl::StatusOr<OptimizedBodies::Body>& body)
      ABSL_LOCKS_EXCLUDED(mutex_);
  PromotionJob::Outcome ConcludeCountingBody(const Attempt& attempt,
                                             const absl::StatusOr<CountingBodies::Body>& body)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns, for the statistics, how the answer came about.
  PromotionStep Describe(const Attempt& attempt, absl::Duration time,
                         const absl::StatusOr<OptimizedBodies::Body>& body) const;
  // `time` is what the thread has used of a processor.
  void GiveAnswer(const Attempt& attempt, absl::Duration time,
                  const absl::StatusOr<OptimizedBodies::Body>& body) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex& mutex_;  // The promoter's.
  HotFunctions* const functions_ ABSL_PT_GUARDED_BY(mutex_);
  PromotionSchedule* const schedule_ ABSL_PT_GUARDED_BY(mutex_);
  FunctionTable& table_;
  OptimizedBodies& bodies_;
  CountingBodies* const counting_bodies_;
  const absl::Duration start_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_OPTIMIZER_H_
