// When the loops of a first body poll: the counter that the body decrements, and what the counter
// is set to.
//
// Usually a poll comes after an interval of iterations. There are two reasons to poll earlier. A
// loop may poll after a few iterations, and again each time that their number has doubled, to find
// out whether the loops take long. And if there is a continuation, loops poll soon to find it.
//
// Thread-safe in part: each section below says who may call what. The methods for polls take no
// lock and no memory, so they are async-signal-safe. Tested in tests/runtime/loop_polls_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_LOOP_POLLS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_LOOP_POLLS_H_

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/link/hotness_counters.h"
#include "seam/hotness_counter.h"

namespace firstcall {

class LoopPolls {
 public:
  // `interval` is the initial value of the counter.
  explicit LoopPolls(int32_t interval) : interval_(interval) {}
  LoopPolls(const LoopPolls&) = delete;
  LoopPolls& operator=(const LoopPolls&) = delete;

  // --- Polls: any thread, once there is a counter ---

  // The counter; null if the function does not poll.
  HotnessCounter* counter() const { return counter_; }
  // The next iteration polls.
  void PollAtOnce() { PollAfter(0); }
  // Begins the next interval.
  void BeginInterval() { PollAfter(interval_); }

  // Whether the next poll that asks is an early one: it comes before the end of an interval.
  bool are_early() const { return early_iterations_.load(std::memory_order_relaxed) < interval_; }
  // Notes an early poll, and sets the counter for the next one. Adds the time since the last early
  // poll to the time that the loops have taken. If the function's number of calls, `calls`, has
  // changed between the two polls, adds at most as much as the loops have taken so far, because
  // there were as many iterations since the last early poll as before it. Returns whether the sum
  // has reached 20 ms, so that a promotion thread should start. With `has_thread`, no further early
  // poll follows.
  bool NoteEarly(int64_t calls, bool has_thread);

  // The loops should look for a continuation: at their next poll, which comes at once or soon.
  void SeekContinuationAtOnce();
  void SeekContinuationSoon();
  // Whether the loops poll to find a continuation. If so, polls need not ask.
  bool seek_continuation() const {
    return iterations_to_continuation_.load(std::memory_order_relaxed) < interval_;
  }
  // Sets the counter for the next poll of a loop that has no continuation, while another loop has
  // one. Such polls come ever later. If no loop seeks its continuation anew for an interval, polls
  // are to ask again.
  void PutOff();

  // Whether the first body polls in machine code, so that it can be left only by a LoopExit. Known
  // once it has polled.
  void NotePollInCode() { are_in_code_.store(true, std::memory_order_relaxed); }
  bool are_in_code() const { return are_in_code_.load(std::memory_order_relaxed); }

  // --- Counter: under the promoter's lock ---

  // Returns the counter; makes it in `memory` if there is none. Polls find `owner` by it. With
  // `asks_early` the first polls are early ones. ResourceExhausted if there is no memory.
  absl::StatusOr<HotnessCounter*> MakeCounter(HotnessCounters& memory,
                                              HotnessCounter::Handler handler,
                                              HotnessCounter::LeavingHandler leaving_handler,
                                              void* owner, bool asks_early);
  // From now on the body goes on after each poll, and polls use neither this object nor its owner.
  void TurnAway();

 private:
  void PollAfter(int32_t iterations) {
    counter_->left.store(iterations, std::memory_order_relaxed);
  }

  HotnessCounter* counter_ = nullptr;
  std::atomic<bool> are_in_code_{false};
  const int32_t interval_;
  // The number of iterations until the next poll, if that poll is only to find a continuation;
  // `interval_` or more if polls are to ask.
  std::atomic<int32_t> iterations_to_continuation_{INT32_MAX};
  // The number of iterations at the next early poll; `interval_` if there are no more early polls.
  std::atomic<int32_t> early_iterations_{0};
  // Of the latest early poll: its time, as SteadyNow, in nanoseconds (0 if there was none), and the
  // number of calls until then.
  std::atomic<int64_t> last_early_poll_{0};
  std::atomic<int64_t> calls_at_last_early_poll_{0};
  // How long the loops had taken until the latest early poll, in nanoseconds.
  std::atomic<int64_t> early_time_{0};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_LOOP_POLLS_H_
