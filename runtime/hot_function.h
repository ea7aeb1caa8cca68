// A function whose first body counts: its counters, what the function asks for, the answers that it
// has been given, and its statistics.
//
// A function asks for an optimized body or for an OSR continuation. While it asks it belongs to
// whoever serves it, until an answer is given or the question is withdrawn. A counter is set before
// the function asks, so that what the one who serves sets it to afterwards stays.
//
// Thread-safe in part: each section below says who may call what. The methods under "asking" take
// no lock and no memory, so they are async-signal-safe.

#ifndef FIRSTCALL_RUNTIME_HOT_FUNCTION_H_
#define FIRSTCALL_RUNTIME_HOT_FUNCTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "code/hotness_counter.h"
#include "code/hotness_signs.h"
#include "memory/executor_address.h"
#include "runtime/function_table.h"
#include "runtime/hotness_counters.h"
#include "runtime/promotion_counters.h"
#include "runtime/promotion_stats.h"
#include "stubs/call_counter.h"

namespace firstcall {

class Promoter;

class HotFunction {
 public:
  // `interval` is what a counter begins with. `promoter` is for the handler of the polls.
  HotFunction(Promoter* promoter, FunctionKey key, int32_t interval)
      : promoter_(promoter), key_(key), interval_(interval) {}
  ~HotFunction();
  HotFunction(const HotFunction&) = delete;
  HotFunction& operator=(const HotFunction&) = delete;

  Promoter& promoter() const { return *promoter_; }
  const FunctionKey& key() const { return key_; }

  // --- Asking: any thread, once the function has counters ---

  // Whether the next poll is one of those that come before the end of an interval.
  bool polls_early() const { return early_rounds_.load(std::memory_order_relaxed) < interval_; }
  // Notes such a poll, and sets when the next one comes. Returns whether the loop takes so long
  // that there should be a thread. With `has_thread` the function polls early no more.
  bool NoteEarlyPoll(bool has_thread);

  // Counts an interval that has ended at a poll, and begins the next one.
  void CountInterval() {
    asked_times_.fetch_add(1, std::memory_order_relaxed);
    counters_.polls->left.store(interval_, std::memory_order_relaxed);
  }

  // The continuation for `loop`, where the running body goes on now; null if there is none. Counts
  // the entry. If the function is called again, it asks for an optimized body.
  void* EnterContinuation(uint32_t loop);

  // What to ask for when the poll in `loop`, or in none (kNoLoop), has not found a continuation: a
  // loop's continuation, or kNoLoop for an optimized body. Nothing if there is nothing to ask for
  // now. If `body_first`, a function that has been called before does not get a continuation before
  // its optimized body.
  std::optional<uint32_t> WantedAt(uint32_t loop, bool body_first) const;

  // Asks for that. False if the function asks for something already.
  bool Ask(uint32_t wanted) {
    uint32_t nothing = kNothing;
    return asked_.compare_exchange_strong(nothing, wanted, std::memory_order_acq_rel);
  }

  // --- Serving: the one that the function belongs to while it asks ---

  uint32_t asked() const { return asked_.load(std::memory_order_acquire); }
  // Whether the function has asked for `wanted` again while it was given that.
  bool HasAnswer(uint32_t wanted) const {
    return wanted == kNoLoop ? is_decided_.load() : Find(wanted) != nullptr;
  }
  // The function has its optimized body, which took `time` to make. Nullopt: there can be none.
  void GiveBody(std::optional<absl::Duration> time);
  // The function has a continuation for `loop`. Null: there can be none.
  void GiveContinuation(uint32_t loop, void* code);
  // The function no longer asks.
  void Withdraw() { asked_.store(kNothing, std::memory_order_release); }

  // --- Bookkeeping: under the lock of the one who owns the function ---

  const PromotionCounters& counters() const { return counters_; }
  // What the function polls with; made in `memory` if this is the first time. With `asks_early` it
  // polls after a few rounds, again when these have doubled, and so on. ResourceExhausted if there
  // is no memory for it.
  absl::StatusOr<HotnessCounter*> PollCounter(HotnessCounters& memory,
                                              HotnessCounter::Handler handler, bool asks_early);
  // From now on polls are told to go on, and do not use the function any more.
  void TurnAwayPolls();
  // Makes what counts its calls, in `memory`; with null they are not counted. ResourceExhausted if
  // there is no memory for it.
  absl::Status MakeCallCounter(CallCounters* memory, HotnessSigns signs);
  // The first body is about to be published. Returns where calls go to be counted before they go to
  // the body; `body` if they are not counted. The body's object has `code_bytes`, and took `time`
  // to make.
  ExecutorAddress BeginCounting(ExecutorAddress body, size_t code_bytes, absl::Duration time);

  // Looks at the counters, `elapsed` after the last look. Returns true if the function asks since
  // then for an optimized body: it was called often enough, or active for long enough.
  bool Look(absl::Duration elapsed);

  // How often the function has asked, in intervals.
  uint64_t asked_times() const { return asked_times_; }
  // Whether it is called often enough to be a part of a hot function that calls it.
  bool IsWarm() const;
  size_t first_bytes() const { return hotness_.first_bytes; }

  void NoteBody(size_t code_bytes, absl::Duration time);
  void NoteContinuation(size_t code_bytes, absl::Duration time);
  void NoteFailure(std::string reason);
  // The statistics, without names.
  FunctionHotness hotness() const;

 private:
  friend class AskingStack;
  struct Continuation;
  static constexpr uint32_t kNothing = kNoLoop - 1;

  static void* TellToGoOn(HotnessCounter* counter, uint32_t loop);
  Continuation* Find(uint32_t loop) const;
  int64_t counted_calls() const;
  void AskWhenCalled();
  int32_t LeftOfActivity() const;
  bool HasBeenActive(absl::Duration elapsed);
  uint64_t polls() const { return asked_times_ * (static_cast<uint64_t>(interval_) + 1); }

  Promoter* const promoter_;
  const FunctionKey key_;
  const int32_t interval_;
  PromotionCounters counters_;
  HotnessSigns signs_ = HotnessSigns::kCallsAndLoops;
  int32_t first_left_ = 0;  // What the counter of its calls began with.
  // After so many rounds it polls early; `interval_` if that is over.
  std::atomic<int32_t> early_rounds_{0};
  std::atomic<int64_t> first_asked_{0};  // As SteadyNow, in nanoseconds; 0 if it has not.
  std::atomic<uint64_t> asked_times_{0};
  std::atomic<uint32_t> asked_{kNothing};
  HotFunction* next_asking_ = nullptr;  // See AskingStack.
  std::atomic<Continuation*> continuations_{nullptr};
  std::atomic<bool> is_decided_{false};  // There is an optimized body, or there can be none.
  // Until then a call of the first body may end. As SteadyNow, in nanoseconds.
  std::atomic<int64_t> patience_ends_{0};
  // For bookkeeping only:
  bool has_first_body_ = false;
  int32_t last_left_ = 0;
  absl::Duration active_;
  FunctionHotness hotness_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_HOT_FUNCTION_H_
