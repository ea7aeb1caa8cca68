// The first body of a function: how often it was called and its loops were iterated, how long it
// was active, and so how hot it is.
//
// The counts of calls (runtime/promotion/counted_calls.h) and of iterations
// (runtime/promotion/loop_polls.h) are kept in two counters. Whenever one of them has run out, an
// interval has ended.
//
// Thread-safe in part: each section below says who may call what. The methods under "asking" take
// no lock and no memory, so they are async-signal-safe. Tested in tests/runtime/first_body_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_FIRST_BODY_H_
#define FIRSTCALL_RUNTIME_PROMOTION_FIRST_BODY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "memory/executor_address.h"
#include "runtime/link/promotion_counters.h"
#include "runtime/promotion/counted_calls.h"
#include "runtime/promotion/loop_polls.h"
#include "seam/hotness_signs.h"
#include "seam/promotion_stats.h"
#include "stubs/call_counter.h"

namespace firstcall {

class FirstBody {
 public:
  // `interval` is the initial value of a counter.
  explicit FirstBody(int32_t interval) : interval_(interval), polls_(interval) {}
  FirstBody(const FirstBody&) = delete;
  FirstBody& operator=(const FirstBody&) = delete;

  // --- Asking: any thread, once the function has counters ---

  // LoopPolls says who may call its methods.
  LoopPolls& polls() { return polls_; }

  // Notes an early poll. Returns whether the loops have taken long (see LoopPolls::NoteEarly).
  bool NoteEarlyPoll(bool has_thread) { return polls_.NoteEarly(counted_calls(), has_thread); }

  // Counts an interval that has ended at a poll, and begins the next one.
  void CountInterval() {
    intervals_.fetch_add(1, std::memory_order_relaxed);
    poll_intervals_.fetch_add(1, std::memory_order_relaxed);
    polls_.BeginInterval();
  }

  // Makes the function ask for an optimized body when it is called again.
  void AskWhenCalled();

  // The number of calls since the counter was made, or since the function was last found hot;
  // INT64_MAX if calls are not counted.
  int64_t counted_calls() const { return calls_.number(); }

  // Whether the first body has so much code that the function should not be optimized twice.
  bool is_large() const { return is_large_.load(std::memory_order_relaxed); }

  // --- Bookkeeping: under the promoter's lock ---

  PromotionCounters counters() const { return {polls_.counter(), calls_.counter()}; }
  // Makes the call counter in `memory`; with null, calls are not counted. ResourceExhausted if
  // there is no memory.
  absl::Status MakeCallCounter(CallCounters* memory, HotnessSigns signs);
  // To be called when the first body is about to be published. Returns the address to publish: that
  // of the call counter, which goes on to the body, or `body` if calls are not counted. The body's
  // object has `code_bytes` of code, and took `time` to make.
  ExecutorAddress BeginCounting(ExecutorAddress body, size_t code_bytes, absl::Duration time);
  // Whether BeginCounting was called.
  bool is_made() const { return is_made_; }
  size_t code_bytes() const { return code_bytes_; }
  // Where the first body is, once it is made.
  ExecutorAddress address() const { return address_; }
  // From now on calls go to the function's counting body, at `body`, and are still counted. There
  // must be a call counter.
  void SendCallsTo(ExecutorAddress body);

  // Returns how many iterations or calls have been counted since the last TakeMoves, by the counter
  // that shows that the body is active; 0 if there is no such counter. To be called once for each
  // look.
  int64_t TakeMoves();
  // Whether no counter of the function had moved at the last TakeMoves: the function does not run
  // now, or it runs only where callers have inlined it. False once calls go to a counting body.
  bool is_quiet() const { return is_quiet_; }
  // Notes that the body was active for `time`.
  void NoteActivity(absl::Duration time) {
    active_ += time;
    activity_ += time;
  }
  // If the body was active for `longest`, makes its loops poll at once; if they have no polls, the
  // call counter has run out from then on.
  void AskIfActiveForLong(absl::Duration longest);

  // Returns how many bytes of the body's code were run through since the last TakeWork: an estimate
  // from what the counters say. To be called once for each look, before TakeRunOut.
  uint64_t TakeWork();
  // Notes that this work took `time` of a processor.
  void NoteTime(absl::Duration time) {
    time_taken_ += time;
    idle_ = absl::ZeroDuration();
  }
  // Notes that `elapsed` has passed without any work.
  void NoteIdleness(absl::Duration elapsed) { idle_ += elapsed; }
  // The time that has passed since the body was last found to have done work.
  absl::Duration idle() const { return idle_; }
  // What was noted by NoteTime and NoteActivity since the last ForgetTime: the time that a better
  // body would have taken less of.
  absl::Duration time_taken() const { return time_taken_; }
  absl::Duration activity() const { return activity_; }
  // To be called when the function has got an answer, and in a forked child: what the body has
  // taken until now says nothing about the time that follows.
  void ForgetTime() { time_taken_ = activity_ = absl::ZeroDuration(); }
  // If the call counter has run out, counts the intervals that have ended, begins to count calls
  // anew, and returns true.
  bool TakeRunOut();

  // Whether the function is called again and again, as far as its calls are counted.
  bool is_called_again() const { return calls_.are_repeated(); }
  // Whether the body runs, and has been called so often that idle threads should optimize the
  // function.
  bool IsWorthIdleTime() const;
  // Whether the function is called often enough to be inlined into a hot caller.
  bool IsWarm() const;
  // How soon the function should be optimized: an estimate, without a unit, of the time that its
  // first body has taken so far, divided by the time that optimizing takes.
  double Urgency() const;
  // The number of intervals that the function has counted.
  uint64_t intervals() const { return intervals_; }
  // The number of calls and iterations in these intervals.
  uint64_t counted() const { return intervals_ * (static_cast<uint64_t>(interval_) + 1); }
  // Adds what is known of the first body to the statistics.
  void Describe(FunctionHotness& hotness) const;

 private:
  int32_t LeftOfActivity() const;
  size_t BytesOfAnIteration() const;

  const int32_t interval_;
  HotnessSigns signs_ = HotnessSigns::kCallsAndLoops;
  std::atomic<bool> is_large_{false};
  LoopPolls polls_;
  CountedCalls calls_;
  std::atomic<uint64_t> intervals_{0};
  std::atomic<uint64_t> poll_intervals_{0};  // Of these, the ones that have ended at a poll.
  // For bookkeeping only:
  ExecutorAddress address_;
  size_t code_bytes_ = 0;      // See FunctionHotness.
  absl::Duration time_;        // See FunctionHotness.
  absl::Duration active_;      // Since the loops were last made to poll.
  absl::Duration activity_;    // See activity().
  absl::Duration time_taken_;  // See time_taken().
  absl::Duration idle_;        // See idle().
  // What the counters said at the last TakeWork.
  int32_t last_left_of_polls_ = 0;
  uint64_t last_poll_intervals_ = 0;
  int32_t last_left_of_counted_calls_ = 0;
  int32_t last_left_ = 0;
  int32_t last_left_of_calls_ = 0;
  bool is_made_ = false;
  bool is_bypassed_ = false;  // Calls go to a counting body.
  bool is_quiet_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_FIRST_BODY_H_
