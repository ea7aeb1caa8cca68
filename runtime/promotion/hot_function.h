// A function whose first body counts: its counters, its current request, the answers that it has
// been given, and its statistics.
//
// A function asks for an optimized body or for an OSR continuation. From then on it belongs to the
// thread that serves it, until that thread gives an answer or withdraws the request. The asking
// thread sets the counter before it asks, so that it does not overwrite a value that the serving
// thread sets later.
//
// Thread-safe in part: each section below says who may call what. The methods under "asking" take
// no lock and no memory, so they are async-signal-safe.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_
#define FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "memory/executor_address.h"
#include "runtime/link/function_table.h"
#include "runtime/link/hotness_counters.h"
#include "runtime/link/promotion_counters.h"
#include "runtime/promotion/branch_counter_block.h"
#include "seam/hotness_counter.h"
#include "seam/hotness_signs.h"
#include "seam/promotion_stats.h"
#include "stubs/call_counter.h"

namespace firstcall {

class Promoter;

class HotFunction {
 public:
  // `interval` is the initial value of a counter. `promoter` is for the handler of the polls.
  HotFunction(Promoter* promoter, FunctionKey key, int32_t interval)
      : promoter_(promoter), key_(key), interval_(interval) {}
  ~HotFunction();
  HotFunction(const HotFunction&) = delete;
  HotFunction& operator=(const HotFunction&) = delete;

  Promoter& promoter() const { return *promoter_; }
  const FunctionKey& key() const { return key_; }

  // --- Asking: any thread, once the function has counters ---

  // Whether the next poll that asks is an early one: it comes before the end of an interval.
  bool polls_early() const { return early_iterations_.load(std::memory_order_relaxed) < interval_; }
  // Notes an early poll, and sets the counter for the next one. Adds the time since the last early
  // poll to the time that the loops have taken. If the two polls belong to different calls, adds at
  // most as much as the loops have taken so far, because there were as many iterations since the
  // last early poll as before it. Returns whether the sum has reached 20 ms, so that a promotion
  // thread should start. With `has_thread`, no further early poll follows.
  bool NoteEarlyPoll(bool has_thread);

  // Counts an interval that has ended at a poll, and begins the next one.
  void CountInterval() {
    intervals_.fetch_add(1, std::memory_order_relaxed);
    counters_.polls->left.store(interval_, std::memory_order_relaxed);
  }

  // If `loop` has no continuation and polled only to find one, while another loop has one that its
  // polls may soon find: sets the counter for the next poll, and returns true. Such polls come ever
  // later. If no loop enters its continuation for an interval, returns false, so that `loop` may
  // ask for a continuation of its own.
  bool PutOffForOtherLoop(uint32_t loop);

  // Returns the continuation for `loop`, in which the running call goes on now; null if there is
  // none. Counts the entry. Makes the loop's next poll come soon, so later calls of the first body
  // enter the continuation early. If the function is not large and is called again, it asks for an
  // optimized body.
  void* EnterContinuation(uint32_t loop);

  // Says what to ask for when a poll has not found a continuation. `loop` is the loop of the poll,
  // or kNoLoop at a call. Returns the loop that needs a continuation, or kNoLoop for an optimized
  // body, or nullopt if there is nothing to ask for now. With `body_first`, a function that has
  // been called before gets its optimized body before any continuation, unless it is large.
  std::optional<uint32_t> WantedAt(uint32_t loop, bool body_first) const;

  // Asks for `wanted`, a result of WantedAt. False if the function asks for something already.
  bool Ask(uint32_t wanted) {
    uint32_t nothing = kNothing;
    if (!asked_.compare_exchange_strong(nothing, wanted, std::memory_order_acq_rel)) return false;
    asked_at_.store(absl::ToInt64Nanoseconds(SteadyNow()), std::memory_order_relaxed);
    return true;
  }

  // --- Serving: the thread that the function belongs to while it asks ---

  bool is_decided() const { return is_decided_.load(std::memory_order_relaxed); }
  // Whether there is an optimized body that was made in this run.
  bool has_body() const { return patience_ends_.load(std::memory_order_relaxed) != 0; }
  uint32_t asked() const { return asked_.load(std::memory_order_acquire); }
  // When the function has asked last, as SteadyNow.
  absl::Duration asked_at() const {
    return absl::Nanoseconds(asked_at_.load(std::memory_order_relaxed));
  }
  // Whether `wanted` was given already: the function asked again while an answer was being given.
  bool HasAnswer(uint32_t wanted) const {
    return wanted == kNoLoop ? is_decided_.load() : Find(wanted) != nullptr;
  }
  // Whether the function should get a counting body before its optimized body. It should if later
  // calls would run the counting body, and no thread has made or tried to make one yet.
  bool WantsToCountBranches() const;
  // Whether, at the time `now` (as SteadyNow), the counting body has not run for long enough yet.
  bool IsCountingBranches(absl::Duration now) const;
  // Notes that the optimized body is published; it took `time` to make. Nullopt: there can be none.
  void GiveBody(std::optional<absl::Duration> time);
  // Gives the function the continuation `code` for `loop`. Null: there can be none.
  void GiveContinuation(uint32_t loop, void* code);
  // Withdraws the request: the function no longer asks.
  void Withdraw() { asked_.store(kNothing, std::memory_order_release); }

  // --- Bookkeeping: under the promoter's lock ---

  const PromotionCounters& counters() const { return counters_; }
  // Returns the counter for the function's polls; makes it in `memory` if there is none. With
  // `asks_early` the function asks after a few iterations, and again each time that their number
  // has doubled. ResourceExhausted if there is no memory.
  absl::StatusOr<HotnessCounter*> PollCounter(HotnessCounters& memory,
                                              HotnessCounter::Handler handler, bool asks_early);
  // From now on the body goes on after each poll, and polls no longer use this object.
  void TurnAwayPolls();
  // Makes the call counter in `memory`; with null, calls are not counted. ResourceExhausted if
  // there is no memory.
  absl::Status MakeCallCounter(CallCounters* memory, HotnessSigns signs);
  // To be called when the first body is about to be published. Returns the address to publish: that
  // of the call counter, which goes on to the body, or `body` if calls are not counted. The body's
  // object has `code_bytes` of code, and took `time` to make.
  ExecutorAddress BeginCounting(ExecutorAddress body, size_t code_bytes, absl::Duration time);

  // From now on calls go to the counting body `body`, which counts in `counters`.
  void BeginCountingBranches(ExecutorAddress body, BranchCounterBlock counters);
  // There can be no counting body.
  void DoNotCountBranches() { has_tried_to_count_ = true; }
  // What the counting body has counted so far; nullopt if there is none.
  std::optional<BranchCounts> branch_counts(BranchCounterBlock::FindTarget find_target) const;
  // The sum of what the counting body has counted so far; 0 if there is none.
  uint64_t branches_counted() const { return branch_counters_ ? branch_counters_->Sum() : 0; }

  // Returns how many iterations or calls have been counted since the last TakeMoves, by the counter
  // that shows that the function is active; 0 if there is no such counter. To be called once for
  // each look.
  int64_t TakeMoves();
  // Whether no counter of the function had moved at the last TakeMoves: the function does not run
  // now, or it runs only where callers have inlined it. False once it has a counting body.
  bool is_quiet() const { return is_quiet_; }
  // Notes that the function was active for `time`.
  void NoteActivity(absl::Duration time) { active_ += time; }
  // Looks at the counters. If the function was called often enough or active for long enough, makes
  // it ask for an optimized body and returns true. Returns false if it was asking already.
  bool Look();

  // Whether the first body has been called so often that idle threads should optimize the function.
  bool IsWorthIdleTime() const;
  // The number of calls since the counter was made, or since the function was last found hot;
  // INT64_MAX if calls are not counted.
  int64_t counted_calls() const;
  // The number of intervals that the function has counted.
  uint64_t intervals() const { return intervals_; }
  // How soon the function should be optimized: an estimate, without a unit, of the time that its
  // first body has taken so far, divided by the time that optimizing takes.
  double Urgency() const;
  // Whether the function is called often enough to be inlined into a hot caller.
  bool IsWarm() const;
  size_t first_bytes() const { return first_bytes_; }

  // Makes IsWarm true. To be called if it is known ahead of time that the function will be hot.
  void NoteThatItWillBeHot() { will_be_hot_ = true; }
  bool has_first_body() const { return has_first_body_; }
  void NoteBody(size_t code_bytes, absl::Duration time, bool is_cached);
  void NoteContinuation(size_t code_bytes, absl::Duration time);
  void NoteFailure(std::string reason);
  void NoteStep(PromotionStep step);
  // The statistics, without names.
  FunctionHotness hotness() const;

 private:
  friend class AskingStack;
  struct Continuation;
  static constexpr uint32_t kNothing = kNoLoop - 1;

  FunctionHotness& notes();
  static void* TellToGoOn(HotnessCounter* counter, uint32_t loop);
  Continuation* Find(uint32_t loop) const;
  void AskWhenCalled();
  void PollSoon();
  int32_t LeftOfActivity() const;
  int32_t LeftOfCalls() const;
  bool TakeLongActivity();
  uint64_t polls() const { return intervals_ * (static_cast<uint64_t>(interval_) + 1); }

  Promoter* const promoter_;
  const FunctionKey key_;
  const int32_t interval_;
  PromotionCounters counters_;
  HotnessSigns signs_ = HotnessSigns::kCallsAndLoops;
  int32_t first_left_ = 0;  // The initial value of the call counter.
  // The number of iterations at the next early poll; `interval_` if there are no more early polls.
  std::atomic<int32_t> early_iterations_{0};
  // Of the latest early poll: its time, as SteadyNow, in nanoseconds (0 if there was none), and the
  // number of calls until then.
  std::atomic<int64_t> last_early_poll_{0};
  std::atomic<int64_t> calls_at_last_early_poll_{0};
  // How long the loops had taken until the latest early poll, in nanoseconds.
  std::atomic<int64_t> early_time_{0};
  std::atomic<uint64_t> intervals_{0};
  std::atomic<uint32_t> asked_{kNothing};
  std::atomic<int64_t> asked_at_{0};
  HotFunction* next_asking_ = nullptr;  // See AskingStack.
  std::atomic<Continuation*> continuations_{nullptr};
  // The number of iterations until the next poll, if that poll is only to find a continuation;
  // `interval_` or more if polls are to ask.
  std::atomic<int32_t> iterations_to_continuation_{INT32_MAX};
  // The first body is so large that the function should not be optimized twice.
  std::atomic<bool> is_large_{false};
  std::atomic<bool> is_decided_{false};  // There is an optimized body, or there can be none.
  // Until this time a running call of the first body gets no continuation, because it may soon end.
  // As SteadyNow, in nanoseconds.
  std::atomic<int64_t> patience_ends_{0};
  // For bookkeeping only:
  bool has_first_body_ = false;
  bool has_been_called_often_ = false;  // The call counter has run out once.
  bool has_tried_to_count_ = false;
  std::optional<BranchCounterBlock> branch_counters_;
  absl::Duration counting_since_;  // As SteadyNow.
  bool will_be_hot_ = false;
  int32_t last_left_ = 0;
  int32_t last_left_of_calls_ = 0;
  bool is_quiet_ = false;
  absl::Duration active_;
  size_t first_bytes_ = 0;  // See FunctionHotness.
  absl::Duration first_time_;
  // Null until there is something to note, because most functions never become hot.
  std::unique_ptr<FunctionHotness> notes_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_
