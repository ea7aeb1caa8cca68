#include "runtime/promotion/loop_polls.h"

#include <algorithm>

#include "absl/time/time.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// After so many iterations of its loops, a call of a first body looks for a continuation. The
// number is odd, so that two loops that take turns both get to poll.
constexpr int32_t kIterationsBeforeContinuation = 31;

// A loop that asks early does so after kFirstIterations iterations, and again each time that the
// number of its iterations has doubled. Loops take long if they have taken kLongLoop since the
// function first asked. The first iterations, which nobody has timed, count as
// kTimeOfFirstIterations.
constexpr int32_t kFirstIterations = 4;
constexpr absl::Duration kTimeOfFirstIterations = absl::Microseconds(2);
constexpr absl::Duration kLongLoop = absl::Milliseconds(20);

void* TellToGoOn(HotnessCounter* counter, uint32_t) {
  counter->left.store(INT32_MAX, std::memory_order_relaxed);
  return nullptr;
}

const LoopExit* TellCodeToGoOn(HotnessCounter* counter, uint32_t loop) {
  TellToGoOn(counter, loop);
  return nullptr;
}

}  // namespace

// A function with loops may be called now and then. The time between its calls is not the loops',
// and should not start a thread: a process with a second thread is slower, because malloc takes
// locks.
bool LoopPolls::NoteEarly(int64_t calls, bool has_thread) {
  const int32_t iterations = early_iterations_.load(std::memory_order_relaxed);
  const int64_t now = absl::ToInt64Nanoseconds(SteadyNow());
  const int64_t last = last_early_poll_.exchange(now, std::memory_order_relaxed);
  const bool is_same_call =
      calls_at_last_early_poll_.exchange(calls, std::memory_order_relaxed) == calls;
  int64_t time = early_time_.load(std::memory_order_relaxed);
  if (last == 0) {
    time = absl::ToInt64Nanoseconds(kTimeOfFirstIterations);
  } else {
    time += is_same_call ? now - last : std::min(now - last, time);
  }
  early_time_.store(time, std::memory_order_relaxed);
  const bool is_long = absl::Nanoseconds(time) >= kLongLoop;
  const bool is_last = is_long || has_thread || iterations > interval_ / 2;
  early_iterations_.store(is_last ? interval_ : 2 * iterations, std::memory_order_relaxed);
  PollAfter(is_last ? interval_ - iterations : iterations - 1);
  return is_long;
}

void LoopPolls::SeekContinuationAtOnce() {
  iterations_to_continuation_.store(kIterationsBeforeContinuation, std::memory_order_relaxed);
  PollAfter(0);
}

void LoopPolls::SeekContinuationSoon() {
  iterations_to_continuation_.store(kIterationsBeforeContinuation, std::memory_order_relaxed);
  PollAfter(std::min(interval_, kIterationsBeforeContinuation));
}

void LoopPolls::PutOff() {
  const int32_t iterations = iterations_to_continuation_.load(std::memory_order_relaxed);
  const int32_t next = iterations < interval_ / 2 ? 2 * iterations + 1 : interval_;
  iterations_to_continuation_.store(next, std::memory_order_relaxed);
  PollAfter(next);
}

absl::StatusOr<HotnessCounter*> LoopPolls::MakeCounter(
    HotnessCounters& memory, HotnessCounter::Handler handler,
    HotnessCounter::LeavingHandler leaving_handler, void* owner, bool asks_early) {
  if (counter_ == nullptr) {
    if (interval_ < kFirstIterations) asks_early = false;
    early_iterations_ = asks_early ? kFirstIterations : interval_;
    FIRSTCALL_ASSIGN_OR_RETURN(counter_, memory.Make(asks_early ? kFirstIterations - 1 : interval_,
                                                     handler, leaving_handler, owner));
  }
  // The release store makes the owner's contents visible to threads that find it by its counter.
  counter_->owner.store(owner, std::memory_order_release);
  return counter_;
}

void LoopPolls::TurnAway() {
  if (counter_ == nullptr) return;
  counter_->handler.store(&TellToGoOn);
  counter_->leaving_handler.store(&TellCodeToGoOn);
}

}  // namespace firstcall
