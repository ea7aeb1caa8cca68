// How many instructions the polls of first bodies may still take (see PollOptions::allowance).
//
// What may be spent at first lets small programs poll in all their loops. More comes as time goes
// by. LLVM's cheapest code generation takes about 8 us an instruction, so one instruction for each
// millisecond is 0.8 % of the time; with the baseline code generator it is less.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_POLL_BUDGET_H_
#define FIRSTCALL_RUNTIME_POLL_BUDGET_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "code/poll_allowance.h"

namespace firstcall {

class PollBudget {
 public:
  static constexpr int64_t kFirst = 100;
  static constexpr int64_t kPerMillisecond = 1;

  // `start` is when the program began, as SteadyNow. An unlimited budget is never used up.
  PollBudget(bool is_unlimited, absl::Duration start)
      : is_unlimited_(is_unlimited), start_(start) {}

  // May be negative.
  int64_t left() const {
    if (is_unlimited_) return kUnlimitedPolls;
    return balance_ + absl::ToInt64Milliseconds(SteadyNow() - start_) * kPerMillisecond;
  }

  // Adds what the size of new functions allows for polls, less what their polls take.
  void Add(int64_t balance) { balance_ += balance; }

 private:
  const bool is_unlimited_;
  const absl::Duration start_;
  std::atomic<int64_t> balance_{kFirst};  // Without what comes with time.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_POLL_BUDGET_H_
