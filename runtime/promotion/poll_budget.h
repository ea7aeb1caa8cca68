// How many instructions the polls of first bodies may still take (see PollOptions::allowance).
//
// The budget begins with kFirst instructions, which let small programs poll in all their loops.
// Each millisecond adds kPerMillisecond. LLVM's cheapest code generation takes about 8 us an
// instruction, so one instruction for each millisecond costs 0.8 % of the time; with the baseline
// code generator it costs less.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_POLL_BUDGET_H_
#define FIRSTCALL_RUNTIME_PROMOTION_POLL_BUDGET_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "seam/poll_allowance.h"

namespace firstcall {

class PollBudget {
 public:
  static constexpr int64_t kFirst = 100;
  static constexpr int64_t kPerMillisecond = 1;

  // `start` is when the program began, as SteadyNow. An unlimited budget is never used up.
  PollBudget(bool is_unlimited, absl::Duration start)
      : is_unlimited_(is_unlimited), start_(start) {}

  // Returns how many instructions are left; may be negative.
  int64_t left() const {
    if (is_unlimited_) return kUnlimitedPolls;
    return balance_ + absl::ToInt64Milliseconds(SteadyNow() - start_) * kPerMillisecond;
  }

  // Adds `balance`: the instructions that the size of new functions allows for polls, less the
  // instructions that their polls take.
  void Add(int64_t balance) { balance_ += balance; }

 private:
  const bool is_unlimited_;
  const absl::Duration start_;
  std::atomic<int64_t> balance_{kFirst};  // Without the instructions that time adds.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_POLL_BUDGET_H_
