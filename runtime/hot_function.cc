#include "runtime/hot_function.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A function whose loops have been going round for so long is hot, however few rounds that were:
// what takes time may be what they call, to be made a part of them.
constexpr absl::Duration kLongestActivity = absl::Milliseconds(100);

// What has been called less than once for so many calls that make a function hot is hardly worth
// being a part of one.
constexpr int32_t kCallsOfCold = 1000;

// A call of a function that has loops, but does not poll there, counts for so many.
constexpr int32_t kCallsWithLoops = 256;

// A loop that asks early does so after kFirstRounds iterations, and again each time that the number
// of its iterations has doubled. If it asks kLongLoop after it has asked first, it takes long.
constexpr int32_t kFirstRounds = 4;
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

bool HotFunction::NoteEarlyPoll(bool has_thread) {
  const int32_t rounds = early_rounds_.load(std::memory_order_relaxed);
  const int64_t now = absl::ToInt64Nanoseconds(SteadyNow());
  int64_t first = 0;
  const bool is_first = first_asked_.compare_exchange_strong(first, now, std::memory_order_relaxed);
  const bool is_long = !is_first && absl::Nanoseconds(now - first) >= kLongLoop;
  const bool is_last = is_long || has_thread || rounds > interval_ / 2;
  early_rounds_.store(is_last ? interval_ : 2 * rounds, std::memory_order_relaxed);
  counters_.polls->left.store(is_last ? interval_ - rounds : rounds - 1, std::memory_order_relaxed);
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
  // If the function is called again, it is worth a better body from its beginning.
  if (!is_decided_.load(std::memory_order_relaxed)) AskWhenCalled();
  return continuation->code;
}

// The function is hot if it is called again.
void HotFunction::AskWhenCalled() {
  if (counters_.calls) {
    std::atomic<int32_t>& left = counters_.calls->left();
    // A counter that has run out waits for being looked at.
    if (left.load(std::memory_order_relaxed) > 0) left.store(0, std::memory_order_relaxed);
  } else if (counters_.polls != nullptr) {
    counters_.polls->left.store(0, std::memory_order_relaxed);
  }
}

// How often the function was called since its counter was made, or since it was last found hot;
// INT64_MAX if that is not counted.
int64_t HotFunction::counted_calls() const {
  if (!counters_.calls) return INT64_MAX;
  return int64_t{first_left_} - counters_.calls->left().load(std::memory_order_relaxed);
}

std::optional<uint32_t> HotFunction::WantedAt(uint32_t loop, bool body_first) const {
  // A loop that has no continuation may be all that ever asks: the function is hot all the same.
  if (loop != kNoLoop && Find(loop) != nullptr) loop = kNoLoop;
  // The call may end before there is a continuation, and the next call needs none. If the call goes
  // on for as long as it took to make the body, a continuation is worth its time.
  if (loop != kNoLoop && body_first && counted_calls() > 1) {
    if (!is_decided_.load(std::memory_order_relaxed)) {
      loop = kNoLoop;
    } else if (absl::ToInt64Nanoseconds(SteadyNow()) < patience_ends_.load()) {
      return std::nullopt;
    }
  }
  if (loop == kNoLoop && is_decided_.load(std::memory_order_relaxed)) return std::nullopt;
  return loop;
}

// --- Serving ---

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
  // The loop need not come round so often again to be told.
  if (code != nullptr) counters_.polls->left.store(0, std::memory_order_relaxed);
}

// --- Bookkeeping ---

absl::StatusOr<HotnessCounter*> HotFunction::PollCounter(HotnessCounters& memory,
                                                         HotnessCounter::Handler handler,
                                                         bool asks_early) {
  if (counters_.polls == nullptr) {
    if (interval_ < kFirstRounds) asks_early = false;
    early_rounds_ = asks_early ? kFirstRounds : interval_;
    FIRSTCALL_ASSIGN_OR_RETURN(
        counters_.polls, memory.Make(asks_early ? kFirstRounds - 1 : interval_, handler, this));
  }
  // Whoever finds the function by its counter finds all of it.
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
  hotness_.first_bytes = code_bytes;
  hotness_.first_time = time;
  if (!counters_.calls) return body;
  counters_.calls->GoOnTo(body);
  return counters_.calls->address();
}

// What tells whether the function is active.
int32_t HotFunction::LeftOfActivity() const {
  if (counters_.polls != nullptr) return counters_.polls->left.load(std::memory_order_relaxed);
  if (signs_ != HotnessSigns::kCallsOnly || !counters_.calls) return 0;
  return counters_.calls->left().load(std::memory_order_relaxed);
}

// Adds `elapsed` to the time the function was active if what counts its loops, or its calls if
// those alone tell, has changed since the last look. Returns whether that has been for so long that
// the function is hot whatever it has counted; then the time begins anew.
bool HotFunction::HasBeenActive(absl::Duration elapsed) {
  const int32_t left = LeftOfActivity();
  if (std::exchange(last_left_, left) == left) return false;
  active_ += elapsed;
  if (active_ < kLongestActivity) return false;
  active_ = absl::ZeroDuration();
  return true;
}

bool HotFunction::Look(absl::Duration elapsed) {
  if (!has_first_body_) return false;
  const std::optional<CallCounter>& calls = counters_.calls;
  if (HasBeenActive(elapsed)) {
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
  // However long ago the counter ran out.
  const int64_t beyond = -int64_t{calls->left().exchange(interval_, std::memory_order_relaxed)};
  const int64_t times = 1 + std::max<int64_t>(0, beyond) / (int64_t{interval_} + 1);
  asked_times_.fetch_add(static_cast<uint64_t>(times), std::memory_order_relaxed);
  return Ask(kNoLoop);
}

bool HotFunction::IsWarm() const {
  return is_decided_ || asked_times_ > 0 || counted_calls() >= interval_ / kCallsOfCold;
}

void HotFunction::NoteBody(size_t code_bytes, absl::Duration time) {
  hotness_.tier = 1;
  hotness_.better_bytes = code_bytes;
  hotness_.better_time = time;
  hotness_.polls_promoted = polls();
}

void HotFunction::NoteContinuation(size_t code_bytes, absl::Duration time) {
  ++hotness_.continuations;
  hotness_.continuation_bytes += code_bytes;
  hotness_.continuation_time += time;
}

void HotFunction::NoteFailure(std::string reason) {
  ++hotness_.failures;
  hotness_.last_failure = std::move(reason);
}

FunctionHotness HotFunction::hotness() const {
  FunctionHotness hotness = hotness_;
  hotness.polls = polls();
  for (const Continuation* continuation = continuations_; continuation != nullptr;
       continuation = continuation->next) {
    hotness.loops_entered += continuation->entered;
  }
  return hotness;
}

}  // namespace firstcall
