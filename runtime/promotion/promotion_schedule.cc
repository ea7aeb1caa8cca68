#include "runtime/promotion/promotion_schedule.h"

#include <algorithm>
#include <utility>

#include "base/forks.h"
#include "base/steady_clock.h"
#include "runtime/promotion/promotion_threads.h"

namespace firstcall {
namespace {

// A function is not optimized before the program has run for this time for each byte of its first
// body: about half of the time that optimizing it takes. (Measured: 6 us a byte for Lua's
// interpreter, of 40 KB, and 8 us for SQLite's, of 64 KB.)
constexpr absl::Duration kTimeOfAByte = absl::Microseconds(3);

// The threads must have been idle for this time before they optimize a function that is not hot, or
// a function for the next run.
constexpr absl::Duration kIdleTime = absl::Milliseconds(100);

}  // namespace

void PromotionSchedule::TakeOverJobs() {
  for (HotFunction* function : jobs_.TakeParents()) {
    if (has_threads_) {
      waiting_.Add(*function);
    } else {
      function->request().Withdraw();
    }
  }
}

// While a thread optimizes, it does not look at the counters. A counter that has changed may have
// done so at any time since the last look.
std::optional<HotFunctions::Since> PromotionSchedule::BeginLook(absl::Duration now) {
  if (now - last_look_ < PromotionThreads::kShortestPause) return std::nullopt;
  HotFunctions::Since since;
  since.elapsed = now - std::exchange(last_look_, now);
  since.active = std::min(since.elapsed, PromotionThreads::kLongestPause);
  since.time = clock_.TakeTime(ProcessTime());
  return since;
}

bool PromotionSchedule::MustWait(const HotFunction& function, absl::Duration now) const {
  if (!looks_at_counters_ || function.is_cached()) return false;
  const FirstBody& body = function.first_body();
  if (body.code_bytes() * kTimeOfAByte > now - start_) return true;
  return function.IsCountingBranches(now) || !books_.Pays(body);
}

std::vector<PromotionSchedule::Sought> PromotionSchedule::TakeToBeSought() {
  std::vector<Sought> taken;
  const absl::Duration now = SteadyNow();
  const bool has_relatives = ForkCount() != 0;
  for (HotFunction* function : waiting_.functions()) {
    if (MustWait(*function, now) && function->IsToBeSought(now, has_relatives)) {
      taken.push_back({function, function->request().wanted()});
    }
  }
  return taken;
}

HotFunction* PromotionSchedule::TakeNext(HotFunctions& functions) {
  if (!has_budget()) return nullptr;
  const absl::Duration now = SteadyNow();
  const auto must_wait = [&](const HotFunction& function) { return MustWait(function, now); };
  HotFunction* const most_urgent = waiting_.TakeMostUrgent(must_wait);
  return most_urgent != nullptr ? most_urgent : TakeForIdleTime(functions);
}

HotFunction* PromotionSchedule::TakeForIdleTime(HotFunctions& functions) {
  if (SteadyNow() - last_served_ < kIdleTime) return nullptr;
  HotFunction* function = functions.FindForIdleTime(books_);
  if (function == nullptr && !for_next_run_.empty()) {
    function = for_next_run_.back();
    for_next_run_.pop_back();
    if (function->is_decided()) return nullptr;
  }
  return function != nullptr && function->request().Ask(kNoLoop) ? function : nullptr;
}

void PromotionSchedule::NoteCountingBody(absl::Duration time) {
  clock_.NoteOptimization(time);
  books_.NoteOtherWork(time);
}

bool PromotionSchedule::Begin(const std::shared_ptr<PromotionJob>& job) {
  if (!has_budget()) return false;
  TakeOverJobs();
  jobs_.Add(job);
  return true;
}

void PromotionSchedule::End(const std::shared_ptr<PromotionJob>& job, absl::Duration begun,
                            absl::Duration time) {
  last_served_ = SteadyNow();
  clock_.NoteOptimization(time);
  budget_left_ -= last_served_ - begun;
  jobs_.Remove(job);
}

void PromotionSchedule::Forget(const SourceModule* module) {
  waiting_.Forget(module);
  for_next_run_.erase(
      std::remove_if(for_next_run_.begin(), for_next_run_.end(),
                     [&](const HotFunction* function) { return function->key().module == module; }),
      for_next_run_.end());
  jobs_.Drop(module);
}

}  // namespace firstcall
