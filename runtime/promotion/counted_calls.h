// The counted calls of a first body: the call counter that stands in front of the body, and what
// the counter says.
//
// Thread-safe in part: each section below says who may call what. The methods under "asking" take
// no lock and no memory, so they are async-signal-safe. Tested in
// tests/runtime/counted_calls_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_COUNTED_CALLS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_COUNTED_CALLS_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "stubs/call_counter.h"

namespace firstcall {

class CountedCalls {
 public:
  // --- Asking: any thread, once the counter is made ---

  // The counter; nullopt if calls are not counted.
  const std::optional<CallCounter>& counter() const { return counter_; }
  // What the counter has left to count; 0 if calls are not counted.
  int32_t left() const { return counter_ ? counter_->left().load(std::memory_order_relaxed) : 0; }
  // The number of calls since the counter was made, or since it was last found to have run out;
  // INT64_MAX if calls are not counted.
  int64_t number() const {
    if (!counter_) return INT64_MAX;
    return int64_t{first_left_} - counter_->left().load(std::memory_order_relaxed);
  }
  // The next call finds that the counter has run out. There must be a counter.
  void AskAtNext();

  // --- Bookkeeping: under the promoter's lock ---

  // Makes the counter in `memory`, with `left` calls to count; does nothing if the counter was made
  // before. ResourceExhausted if there is no memory.
  absl::Status MakeCounter(CallCounters& memory, int32_t left);
  // Whether the function is called again and again, as far as its calls are counted.
  bool are_repeated() const { return counter_ && (have_been_many_ || number() > 1); }
  // From now on the counter has run out. There must be a counter.
  void RunOut() { counter_->left().store(-1, std::memory_order_relaxed); }
  // If the counter has run out, begins to count anew, and returns how many calls there were beyond
  // the end; nullopt if the counter has not run out.
  std::optional<int64_t> TakeRunOut();

 private:
  std::optional<CallCounter> counter_;
  int32_t first_left_ = 0;       // The initial value of the counter.
  bool have_been_many_ = false;  // The counter has run out once.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_COUNTED_CALLS_H_
