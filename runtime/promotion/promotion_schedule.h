// Decides which hot function is served next, and when: keeps the functions that wait, the jobs in
// progress, and the time that is left for optimization.
//
// Thread-compatible: the promoter's lock guards it. The functions must outlive the schedule, or be
// forgotten. Tested in tests/runtime/promotion_schedule_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_SCHEDULE_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_SCHEDULE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "runtime/link/source_module.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/hot_functions.h"
#include "runtime/promotion/program_clock.h"
#include "runtime/promotion/promotion_books.h"
#include "runtime/promotion/promotion_job.h"
#include "runtime/promotion/promotion_jobs.h"
#include "runtime/promotion/waiting_list.h"

namespace firstcall {

class PromotionSchedule {
 public:
  // What a function asks for (PromotionRequest::wanted), which may be in the object cache.
  struct Sought {
    HotFunction* function;
    uint32_t wanted;
  };

  // Without threads no function waits: the thread that asks serves it. If there is no look at the
  // counters, a function that waits is served as soon as possible. If gains are weighed, a function
  // waits until its optimization pays. Optimization may take `budget` altogether. `start` is when
  // the program began, as SteadyNow.
  PromotionSchedule(bool has_threads, bool looks_at_counters, bool weighs_gains,
                    absl::Duration budget, absl::Duration start)
      : has_threads_(has_threads),
        looks_at_counters_(looks_at_counters),
        start_(start),
        books_(weighs_gains),
        last_look_(start),
        last_served_(start),
        budget_left_(budget) {}

  // The functions that have asked, or whose counters show that they are hot.
  WaitingList& waiting() { return waiting_; }
  const WaitingList& waiting() const { return waiting_; }
  // The optimizations in progress.
  PromotionJobs& jobs() { return jobs_; }
  // What optimizations cost and return.
  PromotionBooks& books() { return books_; }
  // Begins the books anew.
  void BeginBooks() { books_.BeginAnew(); }
  const PromotionBooks& books() const { return books_; }

  // In a forked child: puts the functions that threads of the parent were optimizing back on the
  // waiting list. Without threads these functions no longer ask.
  void TakeOverJobs();

  // To be called before a look at the counters, at the time `now` (as SteadyNow). Returns what has
  // passed since the last look. Nullopt if the last look was so short a time ago that there should
  // be none now.
  std::optional<HotFunctions::Since> BeginLook(absl::Duration now);

  // Takes the most urgent function that waits and is due. If there is none, and no function was
  // served for some time, makes a function ask for its optimized body, and returns this function:
  // one of `functions` that is nearly hot, or one whose body the next run needs. Null if there is
  // nothing to serve, or if the budget is used up.
  HotFunction* TakeNext(HotFunctions& functions);

  // The functions that wait, and of which the object cache should be asked now whether it has what
  // they ask for (HotFunction::IsToBeSought). What a cache has costs next to nothing, so a function
  // for which it has something need not wait.
  std::vector<Sought> TakeToBeSought();

  // Begins a job for a function that asks. False if the budget is used up; then the function is
  // never served. It stays in the asking state, so that it does not ask again.
  bool Begin(const std::shared_ptr<PromotionJob>& job);
  // Ends a job that has made an answer since `begun` (as SteadyNow). The time counts against the
  // budget. The job has used `time` of a processor, which was not the program's.
  void End(const std::shared_ptr<PromotionJob>& job, absl::Duration begun, absl::Duration time);
  // Notes that a counting body has used `time` of a processor.
  void NoteCountingBody(absl::Duration time);

  // The body of `function` was left for a continuation that a cache has now. When the threads are
  // idle, they make the optimized body, so that the next run needs no continuation.
  void AddForNextRun(HotFunction& function) { for_next_run_.push_back(&function); }

  // Forgets the functions of `module`, and drops their jobs (see PromotionJobs::Drop).
  void Forget(const SourceModule* module);

 private:
  HotFunction* TakeForIdleTime(HotFunctions& functions);
  // Whether the function, which waits, must not be served yet.
  bool MustWait(const HotFunction& function, absl::Duration now) const;
  bool has_budget() const { return budget_left_ > absl::ZeroDuration(); }

  const bool has_threads_;
  const bool looks_at_counters_;
  const absl::Duration start_;
  WaitingList waiting_;
  PromotionJobs jobs_;
  PromotionBooks books_;
  ProgramClock clock_;
  std::vector<HotFunction*> for_next_run_;
  absl::Duration last_look_;
  absl::Duration last_served_;
  absl::Duration budget_left_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_SCHEDULE_H_
