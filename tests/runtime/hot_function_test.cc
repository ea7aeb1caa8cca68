#include "runtime/promotion/hot_function.h"

#include <atomic>
#include <memory>
#include <optional>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "runtime/link/hotness_counters.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 99;
constexpr uint32_t kLoop = 5;
constexpr size_t kLargeBody = 20'000;  // See HotFunction::WantedAt.
constexpr absl::Duration kPause = absl::Milliseconds(2);
constexpr absl::Duration kLong = absl::Milliseconds(25);  // See HotFunction::NoteEarlyPoll.

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

class HotFunctionTest : public testing::Test {
 protected:
  HotnessCounter& Poll(bool asks_early = false) {
    return *function_.PollCounter(polls_, &Handler, asks_early).value();
  }
  std::atomic<int32_t>& CountCalls(HotnessSigns signs = HotnessSigns::kCallsAndLoops,
                                   size_t code_bytes = 7) {
    EXPECT_TRUE(function_.MakeCallCounter(&calls_, signs).ok());
    const ExecutorAddress body = ExecutorAddress::Of(&body_);
    EXPECT_EQ(function_.BeginCounting(body, code_bytes, kPause),
              function_.counters().calls->address());
    return function_.counters().calls->left();
  }

  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  HotnessCounters polls_{memory_};
  CallCounters calls_{HostStubArchitecture(), memory_, std::make_shared<UnwindRegistry>(), nullptr};
  HotFunction function_{nullptr, FunctionKey(), kInterval};
  char body_ = 0;
};

TEST_F(HotFunctionTest, HasOneCounterForItsPolls) {
  HotnessCounter& counter = Poll();
  EXPECT_EQ(&Poll(), &counter);
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_EQ(counter.owner, &function_);
  function_.TurnAwayPolls();
  EXPECT_EQ(counter.handler.load()(&counter, kLoop), nullptr);
  EXPECT_EQ(counter.left, INT32_MAX);
}

TEST_F(HotFunctionTest, EarlyPollsComeEachTimeTheRoundsHaveDoubled) {
  HotnessCounter& counter = Poll(/*asks_early=*/true);
  int32_t rounds = counter.left + 1;
  int polls = 0;
  for (; function_.polls_early(); ++polls) {
    const int32_t before = rounds;
    function_.NoteEarlyPoll(/*has_thread=*/false);
    rounds += counter.left + 1;
    if (function_.polls_early()) {
      EXPECT_EQ(rounds, 2 * before);
    }
  }
  EXPECT_EQ(polls, 5);
  EXPECT_EQ(rounds, kInterval + 1);
}

TEST_F(HotFunctionTest, LoopTakesLongWithinACallButNotBetweenCalls) {
  std::atomic<int32_t>& calls_left = CountCalls();
  Poll(/*asks_early=*/true);
  EXPECT_FALSE(function_.NoteEarlyPoll(/*has_thread=*/false));
  --calls_left;
  absl::SleepFor(kLong);
  EXPECT_FALSE(function_.NoteEarlyPoll(/*has_thread=*/false));
  EXPECT_TRUE(function_.polls_early());
  absl::SleepFor(kLong);
  EXPECT_TRUE(function_.NoteEarlyPoll(/*has_thread=*/false));
  EXPECT_FALSE(function_.polls_early());
}

TEST_F(HotFunctionTest, EarlyPollsEndOnceThereIsAThread) {
  HotnessCounter& counter = Poll(/*asks_early=*/true);
  const int32_t rounds = counter.left + 1;
  EXPECT_FALSE(function_.NoteEarlyPoll(/*has_thread=*/true));
  EXPECT_FALSE(function_.polls_early());
  EXPECT_EQ(rounds + counter.left, kInterval);
}

TEST_F(HotFunctionTest, AsksForOneThingAtATime) {
  EXPECT_TRUE(function_.Ask(kLoop));
  EXPECT_FALSE(function_.Ask(kNoLoop));
  EXPECT_EQ(function_.asked(), kLoop);
  function_.Withdraw();
  EXPECT_TRUE(function_.Ask(kNoLoop));
}

TEST_F(HotFunctionTest, ALoopWithoutAContinuationAsksForABody) {
  HotnessCounter& counter = Poll();
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), kLoop);
  function_.GiveContinuation(kLoop, nullptr);
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_EQ(function_.EnterContinuation(kLoop), nullptr);
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), kNoLoop);
  function_.GiveBody(std::nullopt);
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), std::nullopt);
}

TEST_F(HotFunctionTest, AContinuationIsEnteredAndCounted) {
  HotnessCounter& counter = Poll();
  ASSERT_TRUE(function_.Ask(kLoop));
  EXPECT_FALSE(function_.HasAnswer(kLoop));
  function_.GiveContinuation(kLoop, &body_);
  EXPECT_TRUE(function_.HasAnswer(kLoop));
  EXPECT_EQ(counter.left, 0);
  EXPECT_EQ(function_.EnterContinuation(kNoLoop), nullptr);
  EXPECT_EQ(function_.EnterContinuation(kLoop + 1), nullptr);
  EXPECT_EQ(function_.EnterContinuation(kLoop), &body_);
  EXPECT_EQ(function_.EnterContinuation(kLoop), &body_);
  EXPECT_EQ(function_.hotness().loops_entered, 2u);
}

TEST_F(HotFunctionTest, EnteringAContinuationMakesTheNextCallAsk) {
  Poll();
  std::atomic<int32_t>& calls = CountCalls();
  function_.GiveContinuation(kLoop, &body_);
  function_.EnterContinuation(kLoop);
  EXPECT_EQ(calls, 0);
}

TEST_F(HotFunctionTest, AFunctionThatIsCalledAgainGetsItsBodyFirst) {
  Poll();
  std::atomic<int32_t>& calls = CountCalls();
  --calls;
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/true), kLoop);
  --calls;
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/true), kNoLoop);
  function_.GiveBody(absl::Hours(1));
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/true), std::nullopt);
  function_.GiveBody(absl::ZeroDuration());
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/true), kLoop);
}

TEST_F(HotFunctionTest, ALargeFunctionThatIsCalledAgainGetsAContinuationFirst) {
  Poll();
  std::atomic<int32_t>& calls = CountCalls(HotnessSigns::kCallsAndLoops, kLargeBody);
  calls -= 2;
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/true), kLoop);
  function_.GiveContinuation(kLoop, &body_);
  EXPECT_EQ(function_.EnterContinuation(kLoop), &body_);
  EXPECT_EQ(calls, kInterval - 2);  // It does not ask for a body.
}

TEST_F(HotFunctionTest, LaterCallsEnterTheContinuationSoon) {
  HotnessCounter& counter = Poll();
  CountCalls();
  function_.GiveContinuation(kLoop, &body_);
  EXPECT_EQ(counter.left, 0);
  ASSERT_EQ(function_.EnterContinuation(kLoop), &body_);
  EXPECT_EQ(counter.left, 31);
}

TEST_F(HotFunctionTest, ALoopLetsAnotherEnterItsContinuationBeforeItAsks) {
  HotnessCounter& counter = Poll();
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop + 1));
  function_.GiveContinuation(kLoop, &body_);
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop));
  EXPECT_FALSE(function_.PutOffForOtherLoop(kNoLoop));
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
  EXPECT_EQ(counter.left, 63);
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop + 1));
  ASSERT_EQ(function_.EnterContinuation(kLoop), &body_);
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
}

TEST_F(HotFunctionTest, ACounterThatHasRunOutIsSeen) {
  std::atomic<int32_t>& calls = CountCalls();
  EXPECT_FALSE(function_.Look());
  calls = -1 - 2 * (kInterval + 1);
  EXPECT_TRUE(function_.Look());
  EXPECT_EQ(calls, kInterval);
  EXPECT_EQ(function_.intervals(), 3u);
  EXPECT_EQ(function_.asked(), kNoLoop);
  calls = -1;
  EXPECT_FALSE(function_.Look());
  EXPECT_EQ(function_.intervals(), 4u);
}

TEST_F(HotFunctionTest, ALoopThatWasActiveForLongPollsAtOnce) {
  HotnessCounter& counter = Poll();
  CountCalls();
  counter.left -= 2;
  function_.NoteActivity(absl::Milliseconds(60));
  function_.Look();
  EXPECT_EQ(counter.left, kInterval - 2);
  function_.NoteActivity(absl::Milliseconds(60));
  function_.Look();
  EXPECT_EQ(counter.left, 0);
}

TEST_F(HotFunctionTest, AFunctionWithoutPollsThatWasActiveForLongAsks) {
  CountCalls(HotnessSigns::kCallsOnly);
  function_.NoteActivity(absl::Milliseconds(120));
  EXPECT_TRUE(function_.Look());
  EXPECT_EQ(function_.asked(), kNoLoop);
}

TEST_F(HotFunctionTest, CallsAreCountedAnewOnceTheFunctionWasHot) {
  std::atomic<int32_t>& calls = CountCalls(HotnessSigns::kCallsOnly);
  const int32_t first = calls;
  calls = -1;
  EXPECT_TRUE(function_.Look());
  EXPECT_EQ(function_.counted_calls(), 0);
  EXPECT_EQ(calls, first);
}

TEST_F(HotFunctionTest, MovesAreThoseSinceTheLastTime) {
  HotnessCounter& counter = Poll();
  EXPECT_EQ(function_.TakeMoves(), 0);  // There is no body yet.
  CountCalls();
  counter.left -= 3;
  EXPECT_EQ(function_.TakeMoves(), 3);
  EXPECT_EQ(function_.TakeMoves(), 0);
  counter.left = kInterval;
  EXPECT_EQ(function_.TakeMoves(), kInterval + 1);
}

TEST_F(HotFunctionTest, IsQuietIfNeitherCallsNorIterationsAreCounted) {
  HotnessCounter& counter = Poll();
  CountCalls();
  EXPECT_FALSE(function_.is_quiet());  // Nobody has looked yet.
  (void)function_.TakeMoves();
  (void)function_.TakeMoves();
  EXPECT_TRUE(function_.is_quiet());
  counter.left -= 1;
  (void)function_.TakeMoves();
  EXPECT_FALSE(function_.is_quiet());
  function_.counters().calls->left() -= 1;
  (void)function_.TakeMoves();
  EXPECT_FALSE(function_.is_quiet());
  (void)function_.TakeMoves();
  EXPECT_TRUE(function_.is_quiet());
}

TEST_F(HotFunctionTest, IsWorthIdleTimeIfItIsCalledOftenButNotOftenEnough) {
  HotFunction function(nullptr, FunctionKey(), 99'999);
  EXPECT_FALSE(function.IsWorthIdleTime());
  ASSERT_TRUE(function.MakeCallCounter(&calls_, HotnessSigns::kCallsAndLoops).ok());
  function.BeginCounting(ExecutorAddress::Of(&body_), 7, kPause);
  std::atomic<int32_t>& calls = function.counters().calls->left();
  (void)function.TakeMoves();
  calls -= 12'000;
  (void)function.TakeMoves();
  EXPECT_FALSE(function.IsWorthIdleTime());
  calls -= 600;
  (void)function.TakeMoves();
  EXPECT_TRUE(function.IsWorthIdleTime());
  (void)function.TakeMoves();
  EXPECT_FALSE(function.IsWorthIdleTime()) << "no longer called";
  calls -= 1;
  (void)function.TakeMoves();
  ASSERT_TRUE(function.Ask(kNoLoop));
  EXPECT_FALSE(function.IsWorthIdleTime()) << "asks already";
  function.GiveBody(std::nullopt);
  EXPECT_FALSE(function.IsWorthIdleTime()) << "has its answer";
}

TEST_F(HotFunctionTest, AThousandCallsAreTheLeastThatAreWorthIdleTime) {
  std::atomic<int32_t>& calls = CountCalls();
  calls -= kInterval;
  (void)function_.TakeMoves();
  EXPECT_FALSE(function_.IsWorthIdleTime());
}

TEST_F(HotFunctionTest, IsWarmOnceItHasAsked) {
  Poll();
  CountCalls();
  function_.CountInterval();
  EXPECT_TRUE(function_.IsWarm());
}

TEST_F(HotFunctionTest, KeepsStatistics) {
  Poll();
  CountCalls();
  function_.CountInterval();
  function_.NoteBody(70, kPause, /*is_cached=*/false);
  function_.CountInterval();
  function_.NoteContinuation(80, kPause);
  function_.NoteFailure("reason");
  const FunctionHotness hotness = function_.hotness();
  EXPECT_EQ(hotness.tier, 1);
  EXPECT_EQ(hotness.polls, 2u * (kInterval + 1));
  EXPECT_EQ(hotness.polls_promoted, kInterval + 1u);
  EXPECT_EQ(hotness.first_bytes, 7u);
  EXPECT_EQ(hotness.optimized_bytes, 70u);
  EXPECT_EQ(hotness.continuations, 1u);
  EXPECT_EQ(hotness.continuation_bytes, 80u);
  EXPECT_EQ(hotness.failures, 1u);
  EXPECT_EQ(hotness.last_failure, "reason");
}

TEST_F(HotFunctionTest, KeepsItsStepsAndWhenItAsked) {
  const absl::Duration before = SteadyNow();
  ASSERT_TRUE(function_.Ask(kNoLoop));
  EXPECT_GE(function_.asked_at(), before);
  const absl::Duration asked = function_.asked_at();
  EXPECT_FALSE(function_.Ask(3));
  EXPECT_EQ(function_.asked_at(), asked);
  PromotionStep step;
  step.code_bytes = 70;
  function_.NoteStep(step);
  ASSERT_EQ(function_.hotness().steps.size(), 1u);
  EXPECT_EQ(function_.hotness().steps[0].code_bytes, 70u);
}

}  // namespace
}  // namespace firstcall
