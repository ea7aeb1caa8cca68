#include "runtime/promotion/first_body.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"

namespace firstcall {
namespace {

// A function is too cold to be inlined into a hot one if it has been called less often than a hot
// function's number of calls divided by this.
constexpr int32_t kCallsOfCold = 1000;

// A function is optimized when there is nothing else to do if it has been called as often as a hot
// function divided by kCallsForIdleTime, and kLeastCallsForIdleTime times.
constexpr int32_t kCallsForIdleTime = 8;
constexpr int32_t kLeastCallsForIdleTime = 1000;

// A function is large if its first body has so much code: optimizing it takes 100 ms or more (6 to
// 8 us a byte; see runtime/promotion/promotion_schedule.cc). It gets a continuation first, and a
// body only if it is hot by its calls alone.
constexpr size_t kLeastBytesOfLarge = 16 << 10;

// A call, or an iteration of a loop, runs through at most so many bytes of a first body; the round
// of an interpreter's loop that runs one instruction is an example. Optimizing a function takes as
// much time as that of kBytesOfOverhead bytes besides what its own bytes take. Both are estimates:
// only the order of functions depends on them.
constexpr size_t kMostBytesOfAnIteration = 1024;
constexpr size_t kBytesOfOverhead = 1024;
// A call takes as long besides as that of so many bytes: for its stub, counter and registers.
constexpr size_t kBytesOfACall = 32;

// If a function has loops but does not poll in them, each of its calls counts as this many.
constexpr int32_t kCallsWithLoops = 256;

}  // namespace

// --- Asking ---

void FirstBody::AskWhenCalled() {
  if (calls_.counter()) {
    calls_.AskAtNext();
  } else if (polls_.counter() != nullptr) {
    polls_.PollAtOnce();
  }
}

// --- Bookkeeping ---

absl::Status FirstBody::MakeCallCounter(CallCounters* memory, HotnessSigns signs) {
  signs_ = signs;
  if (memory == nullptr) return absl::OkStatus();
  const int32_t left = signs == HotnessSigns::kCallsOnly ? interval_ / kCallsWithLoops : interval_;
  return calls_.MakeCounter(*memory, left);
}

ExecutorAddress FirstBody::BeginCounting(ExecutorAddress body, size_t code_bytes,
                                         absl::Duration time) {
  is_made_ = true;
  address_ = body;
  last_left_ = LeftOfActivity();
  if (polls_.counter() != nullptr) {
    last_left_of_polls_ = polls_.counter()->left.load(std::memory_order_relaxed);
  }
  last_left_of_counted_calls_ = calls_.left();
  code_bytes_ = code_bytes;
  is_large_.store(code_bytes >= kLeastBytesOfLarge, std::memory_order_relaxed);
  time_ = time;
  if (!calls_.counter()) return body;
  calls_.counter()->GoOnTo(body);
  return calls_.counter()->address();
}

void FirstBody::SendCallsTo(ExecutorAddress body) {
  is_bypassed_ = true;
  calls_.counter()->GoOnTo(body);
}

// What the counter has left whose changes show that the body is active: that of its polls, or else
// that of its calls if these alone tell; 0 if there is neither.
int32_t FirstBody::LeftOfActivity() const {
  if (polls_.counter() != nullptr) {
    return polls_.counter()->left.load(std::memory_order_relaxed);
  }
  return signs_ == HotnessSigns::kCallsOnly ? calls_.left() : 0;
}

int64_t FirstBody::TakeMoves() {
  if (!is_made_) return 0;
  const int32_t left = LeftOfActivity();
  const int64_t moves = int64_t{std::exchange(last_left_, left)} - left;
  const int32_t left_of_calls = calls_.left();
  const bool has_calls = std::exchange(last_left_of_calls_, left_of_calls) != left_of_calls;
  is_quiet_ = moves == 0 && !has_calls && !is_bypassed_;
  // The counter was set anew meanwhile: an interval or more has passed.
  return moves < 0 ? int64_t{interval_} + 1 : moves;
}

// The time of activity begins anew.
void FirstBody::AskIfActiveForLong(absl::Duration longest) {
  if (active_ < longest) return;
  active_ = absl::ZeroDuration();
  // What the counters are set to was not counted.
  if (polls_.counter() != nullptr) {
    polls_.PollAtOnce();
    last_left_of_polls_ = 0;
  } else {
    calls_.RunOut();
    last_left_of_counted_calls_ = -1;
  }
}

// A counter of polls that was set for other reasons than the end of an interval says nothing about
// the time since the last look.
uint64_t FirstBody::TakeWork() {
  if (!is_made_) return 0;
  int64_t iterations = 0;
  if (polls_.counter() != nullptr) {
    const uint64_t intervals = poll_intervals_.load(std::memory_order_relaxed);
    const int32_t left = polls_.counter()->left.load(std::memory_order_relaxed);
    const auto ended =
        static_cast<int64_t>(intervals - std::exchange(last_poll_intervals_, intervals));
    iterations = ended * (int64_t{interval_} + 1) +
                 (int64_t{std::exchange(last_left_of_polls_, left)} - left);
  }
  const int32_t left_of_calls = calls_.left();
  const int64_t calls =
      int64_t{std::exchange(last_left_of_counted_calls_, left_of_calls)} - left_of_calls;
  const int64_t iterations_of_a_call = signs_ == HotnessSigns::kCallsOnly ? kCallsWithLoops : 1;
  return static_cast<uint64_t>(std::max<int64_t>(0, iterations) +
                               std::max<int64_t>(0, calls) * iterations_of_a_call) *
         (BytesOfAnIteration() + kBytesOfACall);
}

// The calls after the counter ran out are counted, too.
bool FirstBody::TakeRunOut() {
  const std::optional<int64_t> beyond = calls_.TakeRunOut();
  if (!beyond) return false;
  last_left_of_counted_calls_ = calls_.left();
  const int64_t times = 1 + *beyond / (int64_t{interval_} + 1);
  intervals_.fetch_add(static_cast<uint64_t>(times), std::memory_order_relaxed);
  return true;
}

bool FirstBody::IsWorthIdleTime() const {
  return is_made_ && !is_quiet_ && calls_.counter() &&
         counted_calls() >= std::max(interval_ / kCallsForIdleTime, kLeastCallsForIdleTime);
}

bool FirstBody::IsWarm() const {
  return intervals_ > 0 || counted_calls() >= interval_ / kCallsOfCold;
}

size_t FirstBody::BytesOfAnIteration() const {
  return std::clamp<size_t>(code_bytes_, 1, kMostBytesOfAnIteration);
}

double FirstBody::Urgency() const {
  return static_cast<double>(intervals_ * BytesOfAnIteration()) /
         static_cast<double>(code_bytes_ + kBytesOfOverhead);
}

void FirstBody::Describe(FunctionHotness& hotness) const {
  hotness.has_loops_without_polls = signs_ == HotnessSigns::kCallsOnly;
  hotness.first_bytes = code_bytes_;
  hotness.first_time = time_;
  hotness.polls = counted();
}

}  // namespace firstcall
