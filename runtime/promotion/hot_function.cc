#include "runtime/promotion/hot_function.h"

#include <utility>

#include "base/steady_clock.h"

namespace firstcall {
namespace {

// Between two times that an object cache is asked for the same.
constexpr absl::Duration kSeekInterval = absl::Milliseconds(10);

}  // namespace

// --- Asking ---

Continuations::Entrance HotFunction::EnterContinuation(uint32_t loop) {
  const Continuations::Entrance entrance =
      loop == kNoLoop ? Continuations::Entrance() : continuations_.Enter(loop);
  if (entrance.code == nullptr) return entrance;
  first_body_.polls().SeekContinuationSoon();
  // If the function is called again, it is worth an optimized body from its beginning.
  if (!is_decided() && !first_body_.is_large()) first_body_.AskWhenCalled();
  return entrance;
}

bool HotFunction::PutOffForOtherLoop(uint32_t loop) {
  LoopPolls& polls = first_body_.polls();
  if (!polls.seek_continuation() || loop == kNoLoop || continuations_.Has(loop)) return false;
  polls.PutOff();
  return true;
}

std::optional<uint32_t> HotFunction::WantedAt(uint32_t loop, bool body_first) const {
  // If an answer for the loop exists, the loop can have no continuation. The function is hot all
  // the same, and this loop may be the only one that asks.
  if (loop != kNoLoop && continuations_.HasAnswer(loop)) loop = kNoLoop;
  // The call may end before a continuation is made, and the next call enters the optimized body.
  // If the function is large, the next call enters the continuation instead. If the call goes on
  // for as long as the optimized body took to make, a continuation is worth making.
  if (loop != kNoLoop && body_first && first_body_.counted_calls() > 1) {
    if (!is_decided()) {
      if (!first_body_.is_large()) loop = kNoLoop;
    } else if (absl::ToInt64Nanoseconds(SteadyNow()) < patience_ends_.load()) {
      return std::nullopt;
    }
  }
  if (loop == kNoLoop && is_decided()) return std::nullopt;
  return loop;
}

// --- Serving ---

// A call that is running now stays in the first body, so the function has to be called again.
bool HotFunction::WantsToCountBranches() const {
  return counting_body_.may_come() && !is_decided() && first_body_.is_called_again();
}

bool HotFunction::IsCountingBranches(absl::Duration now) const {
  return !is_decided() && counting_body_.IsCounting(now);
}

void HotFunction::GiveBody(std::optional<absl::Duration> time) {
  if (time) patience_ends_ = absl::ToInt64Nanoseconds(SteadyNow() + *time);
  is_decided_.store(true, std::memory_order_relaxed);
  request_.Withdraw();
}

void HotFunction::GiveContinuation(uint32_t loop, Continuations::Continuation continuation) {
  if (first_body_.polls().are_in_code() && continuation.exit == nullptr) continuation = {};
  const bool has_code = continuation.code != nullptr;
  continuations_.Give(loop, std::move(continuation));
  request_.Withdraw();
  // The loop finds the continuation at its next poll, not only at the end of the interval.
  if (has_code) first_body_.polls().SeekContinuationAtOnce();
}

// --- Bookkeeping ---

PromotionCounters HotFunction::TakeCounters() const {
  PromotionCounters counters = first_body_.counters();
  counters.exits = continuations_.exits();
  return counters;
}

void HotFunction::BeginCountingBranches(ExecutorAddress body, BranchCounterBlock counters) {
  counting_body_.Begin(counters);
  first_body_.SendCallsTo(body);
}

bool HotFunction::IsToBeSought(absl::Duration now, bool has_relatives) {
  if (is_cached()) return false;
  const absl::Duration request = request_.asked_at();
  if (request == sought_request_ && (!has_relatives || now - sought_at_ < kSeekInterval)) {
    return false;
  }
  sought_request_ = request;
  sought_at_ = now;
  return true;
}

bool HotFunction::Look(absl::Duration longest_activity) {
  if (!first_body_.is_made()) return false;
  first_body_.AskIfActiveForLong(longest_activity);
  return !is_decided() && first_body_.TakeRunOut() && request_.Ask(kNoLoop);
}

bool HotFunction::IsWorthIdleTime() const {
  return !is_decided_ && !request_.is_open() && first_body_.IsWorthIdleTime();
}

bool HotFunction::IsWarm() const { return will_be_hot_ || is_decided_ || first_body_.IsWarm(); }

FunctionHotness HotFunction::hotness() const {
  FunctionHotness hotness = notes_.Collect();
  first_body_.Describe(hotness);
  hotness.loops_entered = continuations_.entered();
  return hotness;
}

}  // namespace firstcall
