// A function whose first body counts: its first body, its current request, the answers that it has
// been given, and its statistics.
//
// A function asks for an optimized body or for an OSR continuation. From then on it belongs to the
// thread that serves it, until that thread gives an answer or withdraws the request. The asking
// thread sets the counter before it asks, so that it does not overwrite a value that the serving
// thread sets later.
//
// Thread-safe in part: each section below says who may call what. The methods under "asking" take
// no lock and no memory, so they are async-signal-safe. Tested in
// tests/runtime/hot_function_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_
#define FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "memory/executor_address.h"
#include "runtime/link/function_table.h"
#include "runtime/promotion/branch_counter_block.h"
#include "runtime/promotion/continuations.h"
#include "runtime/promotion/counting_body.h"
#include "runtime/promotion/first_body.h"
#include "runtime/promotion/promotion_notes.h"
#include "runtime/promotion/promotion_request.h"
#include "seam/hotness_counter.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class Promoter;

class HotFunction {
 public:
  // `interval` is the initial value of a counter. `promoter` is for the handler of the polls.
  HotFunction(Promoter* promoter, FunctionKey key, int32_t interval)
      : promoter_(promoter), key_(key), first_body_(interval) {}
  HotFunction(const HotFunction&) = delete;
  HotFunction& operator=(const HotFunction&) = delete;

  Promoter& promoter() const { return *promoter_; }
  const FunctionKey& key() const { return key_; }

  // FirstBody and PromotionRequest say who may call their methods.
  FirstBody& first_body() { return first_body_; }
  const FirstBody& first_body() const { return first_body_; }
  PromotionRequest& request() { return request_; }
  const PromotionRequest& request() const { return request_; }

  // --- Asking: any thread, once the function has counters ---

  // If `loop` has no continuation and polled only to find one, while another loop has one that its
  // polls may soon find: sets the counter for the next poll, and returns true. Such polls come ever
  // later. If no loop enters its continuation for an interval, returns false, so that `loop` may
  // ask for a continuation of its own.
  bool PutOffForOtherLoop(uint32_t loop);

  // Returns the continuation for `loop`, in which the running call goes on now; without code if
  // there is none. Counts the entry. Makes the loop's next poll come soon, so later calls of the
  // first body enter the continuation early. If the function is not large and is called again, it
  // asks for an optimized body.
  Continuations::Entrance EnterContinuation(uint32_t loop);

  // Says what to ask for when a poll has not found a continuation. `loop` is the loop of the poll,
  // or kNoLoop at a call. Returns the loop that needs a continuation, or kNoLoop for an optimized
  // body, or nullopt if there is nothing to ask for now. With `body_first`, a function that has
  // been called before gets its optimized body before any continuation, unless it is large.
  std::optional<uint32_t> WantedAt(uint32_t loop, bool body_first) const;

  // --- Serving: the thread that the function belongs to while it asks ---

  bool is_decided() const { return is_decided_.load(std::memory_order_relaxed); }
  // Whether there is an optimized body that was made in this run.
  bool has_body() const { return patience_ends_.load(std::memory_order_relaxed) != 0; }
  // Whether `wanted` was given already: the function asked again while an answer was being given.
  bool HasAnswer(uint32_t wanted) const {
    return wanted == kNoLoop ? is_decided_.load() : continuations_.HasAnswer(wanted);
  }
  // Whether the function should get a counting body before its optimized body. It should if later
  // calls would run the counting body, and no thread has made or tried to make one yet.
  bool WantsToCountBranches() const;
  // Whether, at the time `now` (as SteadyNow), the counting body has not run for long enough yet.
  bool IsCountingBranches(absl::Duration now) const;
  // Notes that the optimized body is published; it took `time` to make. Nullopt: there can be none.
  void GiveBody(std::optional<absl::Duration> time);
  // Gives the function the continuation for `loop`. Without code, there can be none; and there is
  // none if the first body polls in machine code and cannot be left for it.
  void GiveContinuation(uint32_t loop, Continuations::Continuation continuation);

  // --- Bookkeeping: under the promoter's lock ---

  // The counters, for code that outlives this object, with all that its polls may still use. To be
  // called when polls are turned away and no thread asks any more.
  PromotionCounters TakeCounters() const;

  // From now on calls go to the counting body `body`, which counts in `counters`.
  void BeginCountingBranches(ExecutorAddress body, BranchCounterBlock counters);
  // There can be no counting body.
  void DoNotCountBranches() { counting_body_.DoWithout(); }
  const CountingBody& counting_body() const { return counting_body_; }

  // The object cache has `wanted`, which the function asks for.
  void NoteCached(uint32_t wanted) { cached_ = wanted; }
  // Whether the object cache has what the function asks for, as far as is known.
  bool is_cached() const { return cached_ == request_.wanted(); }
  // Whether the cache is to be asked at the time `now` (as SteadyNow): once for each request, and,
  // if the process has relatives (`has_relatives`), which may have optimized the function
  // meanwhile, from time to time.
  bool IsToBeSought(absl::Duration now, bool has_relatives);

  // Looks at the counters. If the function was called often enough, or active for
  // `longest_activity`, makes it ask for an optimized body and returns true. Returns false if it
  // was asking already.
  bool Look(absl::Duration longest_activity);

  // Whether the first body has been called so often that idle threads should optimize the function.
  bool IsWorthIdleTime() const;
  // Whether the function is called often enough to be inlined into a hot caller.
  bool IsWarm() const;
  // Makes IsWarm true. To be called if it is known ahead of time that the function will be hot.
  void NoteThatItWillBeHot() { will_be_hot_ = true; }

  // Notes for the statistics that the optimized body is published.
  void NoteBody(size_t code_bytes, absl::Duration time, bool is_cached) {
    notes_.NoteBody(code_bytes, time, is_cached, first_body_.counted());
  }
  // For all that is noted besides.
  PromotionNotes& notes() { return notes_; }
  // The statistics, without names.
  FunctionHotness hotness() const;

 private:
  friend class AskingStack;

  Promoter* const promoter_;
  const FunctionKey key_;
  FirstBody first_body_;
  PromotionRequest request_;
  HotFunction* next_asking_ = nullptr;  // See AskingStack.
  Continuations continuations_;
  std::atomic<bool> is_decided_{false};  // There is an optimized body, or there can be none.
  bool will_be_hot_ = false;             // For bookkeeping only.
  // Until this time a running call of the first body gets no continuation, because it may soon end.
  // As SteadyNow, in nanoseconds.
  std::atomic<int64_t> patience_ends_{0};
  CountingBody counting_body_;  // For bookkeeping only.
  // For bookkeeping only: what the cache has, and which request it was last asked for, when.
  std::optional<uint32_t> cached_;
  absl::Duration sought_request_ = -absl::InfiniteDuration();
  absl::Duration sought_at_;
  PromotionNotes notes_;  // For bookkeeping only.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTION_H_
