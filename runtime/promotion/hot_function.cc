#include "runtime/promotion/hot_function.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A function whose loops have been running for this time is hot, however few their iterations are:
// the time may go into callees that can be inlined.
constexpr absl::Duration kLongestActivity = absl::Milliseconds(100);

// A function is too cold to be inlined into a hot one if it has been called less often than a hot
// function's number of calls divided by this.
constexpr int32_t kCallsOfCold = 1000;

// A function is optimized when there is nothing else to do if it has been called as often as a hot
// function divided by kCallsForIdleTime, and kLeastCallsForIdleTime times.
constexpr int32_t kCallsForIdleTime = 8;
constexpr int32_t kLeastCallsForIdleTime = 1000;

// A function is large if its first body has so much code: optimizing it takes 100 ms or more (6 to
// 8 us a byte; see runtime/promotion/promoter.cc). It gets a continuation first, and a body only if
// it is hot by its calls alone.
constexpr size_t kLeastBytesOfLarge = 16 << 10;

// After so many iterations of its loops, a call of a first body looks for a continuation. The
// number is odd, so that two loops that take turns both get to poll.
constexpr int32_t kIterationsBeforeContinuation = 31;

// A call, or an iteration of a loop, runs through at most so many bytes of a first body; the round
// of an interpreter's loop that runs one instruction is an example. Optimizing a function takes as
// much time as that of kBytesOfOverhead bytes besides what its own bytes take. Both are estimates:
// only the order of functions depends on them.
constexpr size_t kMostBytesOfAnIteration = 1024;
constexpr size_t kBytesOfOverhead = 1024;

// If a function has loops but does not poll in them, each of its calls counts as this many.
constexpr int32_t kCallsWithLoops = 256;

// A counting body runs for kLeastCounting, and longer if it has counted less than kEnoughCounts
// until then, but not for longer than kMostCounting.
constexpr absl::Duration kLeastCounting = absl::Milliseconds(5);
constexpr absl::Duration kMostCounting = absl::Milliseconds(50);
constexpr uint64_t kEnoughCounts = 5000;

// A loop that asks early does so after kFirstIterations iterations, and again each time that the
// number of its iterations has doubled. Loops take long if they have taken kLongLoop since the
// function first asked. The first iterations, which nobody has timed, count as
// kTimeOfFirstIterations.
constexpr int32_t kFirstIterations = 4;
constexpr absl::Duration kTimeOfFirstIterations = absl::Microseconds(2);
constexpr absl::Duration kLongLoop = absl::Milliseconds(20);

}  // namespace

struct HotFunction::Continuation {
  uint32_t loop = 0;
  void* code = nullptr;  // Null: there can be none.
  std::atomic<uint64_t> entered{0};
  Continuation* next = nullptr;
};

HotFunction::~HotFunction() {
  for (Continuation* continuation = continuations_; continuation != nullptr;) {
    delete std::exchange(continuation, continuation->next);
  }
}

// --- Asking ---

// A function with loops may be called now and then. The time between its calls is not the loops',
// and should not start a thread: a process with a second thread is slower, because malloc takes
// locks.
bool HotFunction::NoteEarlyPoll(bool has_thread) {
  const int32_t iterations = early_iterations_.load(std::memory_order_relaxed);
  const int64_t now = absl::ToInt64Nanoseconds(SteadyNow());
  const int64_t last = last_early_poll_.exchange(now, std::memory_order_relaxed);
  const int64_t calls = counted_calls();
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
  counters_.polls->left.store(is_last ? interval_ - iterations : iterations - 1,
                              std::memory_order_relaxed);
  return is_long;
}

HotFunction::Continuation* HotFunction::Find(uint32_t loop) const {
  Continuation* found = continuations_.load(std::memory_order_acquire);
  while (found != nullptr && found->loop != loop) found = found->next;
  return found;
}

void* HotFunction::EnterContinuation(uint32_t loop) {
  Continuation* continuation = loop == kNoLoop ? nullptr : Find(loop);
  if (continuation == nullptr || continuation->code == nullptr) return nullptr;
  continuation->entered.fetch_add(1, std::memory_order_relaxed);
  PollSoon();
  // If the function is called again, it is worth an optimized body from its beginning.
  if (!is_decided_.load(std::memory_order_relaxed) && !is_large_.load(std::memory_order_relaxed)) {
    AskWhenCalled();
  }
  return continuation->code;
}

void HotFunction::PollSoon() {
  iterations_to_continuation_.store(kIterationsBeforeContinuation, std::memory_order_relaxed);
  counters_.polls->left.store(std::min(interval_, kIterationsBeforeContinuation),
                              std::memory_order_relaxed);
}

bool HotFunction::PutOffForOtherLoop(uint32_t loop) {
  const int32_t iterations = iterations_to_continuation_.load(std::memory_order_relaxed);
  if (iterations >= interval_ || loop == kNoLoop) return false;
  const Continuation* own = Find(loop);
  if (own != nullptr && own->code != nullptr) return false;
  const int32_t next = iterations < interval_ / 2 ? 2 * iterations + 1 : interval_;
  iterations_to_continuation_.store(next, std::memory_order_relaxed);
  counters_.polls->left.store(next, std::memory_order_relaxed);
  return true;
}

// Makes the function ask for an optimized body when it is called again.
void HotFunction::AskWhenCalled() {
  if (counters_.calls) {
    std::atomic<int32_t>& left = counters_.calls->left();
    // A counter that has run out stays so until the promoter's thread looks at it.
    if (left.load(std::memory_order_relaxed) > 0) left.store(0, std::memory_order_relaxed);
  } else if (counters_.polls != nullptr) {
    counters_.polls->left.store(0, std::memory_order_relaxed);
  }
}

int64_t HotFunction::counted_calls() const {
  if (!counters_.calls) return INT64_MAX;
  return int64_t{first_left_} - counters_.calls->left().load(std::memory_order_relaxed);
}

std::optional<uint32_t> HotFunction::WantedAt(uint32_t loop, bool body_first) const {
  // If an answer for the loop exists, the loop can have no continuation. The function is hot all
  // the same, and this loop may be the only one that asks.
  if (loop != kNoLoop && Find(loop) != nullptr) loop = kNoLoop;
  // The call may end before a continuation is made, and the next call enters the optimized body.
  // If the function is large, the next call enters the continuation instead. If the call goes on
  // for as long as the optimized body took to make, a continuation is worth making.
  if (loop != kNoLoop && body_first && counted_calls() > 1) {
    if (!is_decided_.load(std::memory_order_relaxed)) {
      if (!is_large_.load(std::memory_order_relaxed)) loop = kNoLoop;
    } else if (absl::ToInt64Nanoseconds(SteadyNow()) < patience_ends_.load()) {
      return std::nullopt;
    }
  }
  if (loop == kNoLoop && is_decided_.load(std::memory_order_relaxed)) return std::nullopt;
  return loop;
}

// --- Serving ---

// A call that is running now stays in the first body, so the function has to be called again.
bool HotFunction::WantsToCountBranches() const {
  return !has_tried_to_count_ && counters_.calls && !is_decided() &&
         (has_been_called_often_ || counted_calls() > 1);
}

bool HotFunction::IsCountingBranches(absl::Duration now) const {
  if (!branch_counters_ || is_decided()) return false;
  const absl::Duration time = now - counting_since_;
  if (time < kLeastCounting) return true;
  return time < kMostCounting && branch_counters_->Sum() < kEnoughCounts;
}

void HotFunction::GiveBody(std::optional<absl::Duration> time) {
  if (time) patience_ends_ = absl::ToInt64Nanoseconds(SteadyNow() + *time);
  is_decided_.store(true, std::memory_order_relaxed);
  Withdraw();
}

void HotFunction::GiveContinuation(uint32_t loop, void* code) {
  auto* continuation = new Continuation;
  continuation->loop = loop;
  continuation->code = code;
  continuation->next = continuations_.load(std::memory_order_relaxed);
  continuations_.store(continuation, std::memory_order_release);
  Withdraw();
  // The loop finds the continuation at its next poll, not only at the end of the interval.
  if (code == nullptr) return;
  iterations_to_continuation_.store(kIterationsBeforeContinuation, std::memory_order_relaxed);
  counters_.polls->left.store(0, std::memory_order_relaxed);
}

// --- Bookkeeping ---

absl::StatusOr<HotnessCounter*> HotFunction::PollCounter(HotnessCounters& memory,
                                                         HotnessCounter::Handler handler,
                                                         bool asks_early) {
  if (counters_.polls == nullptr) {
    if (interval_ < kFirstIterations) asks_early = false;
    early_iterations_ = asks_early ? kFirstIterations : interval_;
    FIRSTCALL_ASSIGN_OR_RETURN(
        counters_.polls, memory.Make(asks_early ? kFirstIterations - 1 : interval_, handler, this));
  }
  // The release store makes this object's contents visible to threads that find it by its counter.
  counters_.polls->owner.store(this, std::memory_order_release);
  return counters_.polls;
}

void* HotFunction::TellToGoOn(HotnessCounter* counter, uint32_t) {
  counter->left.store(INT32_MAX, std::memory_order_relaxed);
  return nullptr;
}

void HotFunction::TurnAwayPolls() {
  if (counters_.polls != nullptr) counters_.polls->handler.store(&TellToGoOn);
}

absl::Status HotFunction::MakeCallCounter(CallCounters* memory, HotnessSigns signs) {
  signs_ = signs;
  if (memory == nullptr || counters_.calls) return absl::OkStatus();
  const int32_t left = signs == HotnessSigns::kCallsOnly ? interval_ / kCallsWithLoops : interval_;
  FIRSTCALL_ASSIGN_OR_RETURN(counters_.calls, memory->Make(left));
  first_left_ = left;
  return absl::OkStatus();
}

ExecutorAddress HotFunction::BeginCounting(ExecutorAddress body, size_t code_bytes,
                                           absl::Duration time) {
  has_first_body_ = true;
  last_left_ = LeftOfActivity();
  first_bytes_ = code_bytes;
  is_large_.store(code_bytes >= kLeastBytesOfLarge, std::memory_order_relaxed);
  first_time_ = time;
  if (!counters_.calls) return body;
  counters_.calls->GoOnTo(body);
  return counters_.calls->address();
}

void HotFunction::BeginCountingBranches(ExecutorAddress body, BranchCounterBlock counters) {
  has_tried_to_count_ = true;
  branch_counters_ = counters;
  counting_since_ = SteadyNow();
  counters_.calls->GoOnTo(body);
}

std::optional<BranchCounts> HotFunction::branch_counts(
    BranchCounterBlock::FindTarget find_target) const {
  if (!branch_counters_) return std::nullopt;
  return branch_counters_->Read(key_.ordinal, find_target);
}

// The counter whose changes show that the function is active: that of its polls, or else that of
// its calls if these alone tell; 0 if there is neither.
int32_t HotFunction::LeftOfActivity() const {
  if (counters_.polls != nullptr) return counters_.polls->left.load(std::memory_order_relaxed);
  if (signs_ != HotnessSigns::kCallsOnly || !counters_.calls) return 0;
  return LeftOfCalls();
}

int32_t HotFunction::LeftOfCalls() const {
  return counters_.calls ? counters_.calls->left().load(std::memory_order_relaxed) : 0;
}

int64_t HotFunction::TakeMoves() {
  if (!has_first_body_) return 0;
  const int32_t left = LeftOfActivity();
  const int64_t moves = int64_t{std::exchange(last_left_, left)} - left;
  const int32_t left_of_calls = LeftOfCalls();
  const bool has_calls = std::exchange(last_left_of_calls_, left_of_calls) != left_of_calls;
  is_quiet_ = moves == 0 && !has_calls && !branch_counters_;
  // The counter was set anew meanwhile: an interval or more has passed.
  return moves < 0 ? int64_t{interval_} + 1 : moves;
}

// Whether the time that the function was active makes it hot, whatever it has counted; then the
// time begins anew.
bool HotFunction::TakeLongActivity() {
  if (active_ < kLongestActivity) return false;
  active_ = absl::ZeroDuration();
  return true;
}

bool HotFunction::Look() {
  if (!has_first_body_) return false;
  const std::optional<CallCounter>& calls = counters_.calls;
  if (TakeLongActivity()) {
    if (counters_.polls != nullptr) {
      counters_.polls->left.store(0, std::memory_order_relaxed);
    } else {
      calls->left().store(-1, std::memory_order_relaxed);
    }
  }
  if (!calls || calls->left().load(std::memory_order_relaxed) >= 0 ||
      is_decided_.load(std::memory_order_relaxed)) {
    return false;
  }
  has_been_called_often_ = true;
  // The calls after the counter ran out are counted, too.
  const int64_t beyond = -int64_t{calls->left().exchange(first_left_, std::memory_order_relaxed)};
  const int64_t times = 1 + std::max<int64_t>(0, beyond) / (int64_t{interval_} + 1);
  intervals_.fetch_add(static_cast<uint64_t>(times), std::memory_order_relaxed);
  return Ask(kNoLoop);
}

double HotFunction::Urgency() const {
  const size_t bytes_of_iteration = std::clamp<size_t>(first_bytes_, 1, kMostBytesOfAnIteration);
  return static_cast<double>(intervals_ * bytes_of_iteration) /
         static_cast<double>(first_bytes_ + kBytesOfOverhead);
}

bool HotFunction::IsWorthIdleTime() const {
  return has_first_body_ && !is_decided_ && !is_quiet_ && asked_ == kNothing && counters_.calls &&
         counted_calls() >= std::max(interval_ / kCallsForIdleTime, kLeastCallsForIdleTime);
}

bool HotFunction::IsWarm() const {
  return will_be_hot_ || is_decided_ || intervals_ > 0 ||
         counted_calls() >= interval_ / kCallsOfCold;
}

FunctionHotness& HotFunction::notes() {
  if (notes_ == nullptr) notes_ = std::make_unique<FunctionHotness>();
  return *notes_;
}

void HotFunction::NoteBody(size_t code_bytes, absl::Duration time, bool is_cached) {
  notes().tier = 1;
  notes().is_cached = is_cached;
  notes().optimized_bytes = code_bytes;
  notes().optimized_time = time;
  notes().polls_promoted = polls();
}

void HotFunction::NoteContinuation(size_t code_bytes, absl::Duration time) {
  ++notes().continuations;
  notes().continuation_bytes += code_bytes;
  notes().continuation_time += time;
}

void HotFunction::NoteFailure(std::string reason) {
  ++notes().failures;
  notes().last_failure = std::move(reason);
}

void HotFunction::NoteStep(PromotionStep step) { notes().steps.push_back(std::move(step)); }

FunctionHotness HotFunction::hotness() const {
  FunctionHotness hotness;
  if (notes_ != nullptr) hotness = *notes_;
  hotness.has_loops_without_polls = signs_ == HotnessSigns::kCallsOnly;
  hotness.first_bytes = first_bytes_;
  hotness.first_time = first_time_;
  hotness.polls = polls();
  for (const Continuation* continuation = continuations_; continuation != nullptr;
       continuation = continuation->next) {
    hotness.loops_entered += continuation->entered;
  }
  return hotness;
}

}  // namespace firstcall
