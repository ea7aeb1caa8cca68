#include "runtime/promotion/hot_function.h"

#include <atomic>
#include <memory>
#include <optional>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "runtime/link/hotness_counters.h"
#include "runtime/promotion/branch_counter_block.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 99;
constexpr uint32_t kLoop = 5;
constexpr size_t kLargeBody = 20'000;  // See HotFunction::WantedAt.
constexpr absl::Duration kPause = absl::Milliseconds(2);

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

class HotFunctionTest : public testing::Test {
 protected:
  HotnessCounter& Poll() {
    return *first_body_.polls()
                .MakeCounter(polls_, &Handler, nullptr, &function_, /*asks_early=*/false)
                .value();
  }
  std::atomic<int32_t>& CountCalls(HotnessSigns signs = HotnessSigns::kCallsAndLoops,
                                   size_t code_bytes = 7) {
    EXPECT_TRUE(first_body_.MakeCallCounter(&calls_, signs).ok());
    const ExecutorAddress body = ExecutorAddress::Of(&body_);
    EXPECT_EQ(first_body_.BeginCounting(body, code_bytes, kPause),
              first_body_.counters().calls->address());
    return first_body_.counters().calls->left();
  }

  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  HotnessCounters polls_{memory_};
  CallCounters calls_{HostStubArchitecture(), memory_, std::make_shared<UnwindRegistry>(), nullptr};
  HotFunction function_{nullptr, FunctionKey(), kInterval};
  FirstBody& first_body_ = function_.first_body();
  char body_ = 0;
};

TEST_F(HotFunctionTest, ALoopWithoutAContinuationAsksForABody) {
  HotnessCounter& counter = Poll();
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), kLoop);
  function_.GiveContinuation(kLoop, {});
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_EQ(function_.EnterContinuation(kLoop).code, nullptr);
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), kNoLoop);
  function_.GiveBody(std::nullopt);
  EXPECT_EQ(function_.WantedAt(kLoop, /*body_first=*/false), std::nullopt);
}

TEST_F(HotFunctionTest, AContinuationIsEnteredAndCounted) {
  HotnessCounter& counter = Poll();
  ASSERT_TRUE(function_.request().Ask(kLoop));
  EXPECT_FALSE(function_.HasAnswer(kLoop));
  function_.GiveContinuation(kLoop, {&body_, nullptr});
  EXPECT_TRUE(function_.HasAnswer(kLoop));
  EXPECT_EQ(counter.left, 0);
  EXPECT_EQ(function_.EnterContinuation(kNoLoop).code, nullptr);
  EXPECT_EQ(function_.EnterContinuation(kLoop + 1).code, nullptr);
  EXPECT_EQ(function_.EnterContinuation(kLoop).code, &body_);
  EXPECT_EQ(function_.EnterContinuation(kLoop).code, &body_);
  EXPECT_EQ(function_.hotness().loops_entered, 2u);
}

TEST_F(HotFunctionTest, ABodyThatPollsInCodeHasNoContinuationWithoutAnExit) {
  Poll();
  first_body_.polls().NotePollInCode();
  function_.GiveContinuation(kLoop, {&body_, nullptr});
  EXPECT_TRUE(function_.HasAnswer(kLoop));
  EXPECT_EQ(function_.EnterContinuation(kLoop).code, nullptr);
  function_.GiveContinuation(kLoop + 1, {&body_, std::make_shared<const LoopExit>()});
  EXPECT_NE(function_.EnterContinuation(kLoop + 1).code, nullptr);
}

TEST_F(HotFunctionTest, EnteringAContinuationMakesTheNextCallAsk) {
  Poll();
  std::atomic<int32_t>& calls = CountCalls();
  function_.GiveContinuation(kLoop, {&body_, nullptr});
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
  function_.GiveContinuation(kLoop, {&body_, nullptr});
  EXPECT_EQ(function_.EnterContinuation(kLoop).code, &body_);
  EXPECT_EQ(calls, kInterval - 2);  // It does not ask for a body.
}

TEST_F(HotFunctionTest, TheCacheIsAskedOnceForEachRequest) {
  const absl::Duration now = SteadyNow();
  ASSERT_TRUE(function_.request().Ask(kLoop));
  EXPECT_TRUE(function_.IsToBeSought(now, /*has_relatives=*/false));
  EXPECT_FALSE(function_.IsToBeSought(now + absl::Hours(1), /*has_relatives=*/false));
  function_.request().Withdraw();
  ASSERT_TRUE(function_.request().Ask(kNoLoop));
  EXPECT_TRUE(function_.IsToBeSought(now, /*has_relatives=*/false));
}

TEST_F(HotFunctionTest, TheCacheIsAskedAgainIfRelativesMayHaveAddedSomething) {
  const absl::Duration now = SteadyNow();
  ASSERT_TRUE(function_.request().Ask(kLoop));
  EXPECT_TRUE(function_.IsToBeSought(now, /*has_relatives=*/true));
  EXPECT_FALSE(function_.IsToBeSought(now + absl::Milliseconds(1), /*has_relatives=*/true));
  EXPECT_TRUE(function_.IsToBeSought(now + absl::Seconds(1), /*has_relatives=*/true));
  function_.NoteCached(kNoLoop);
  EXPECT_FALSE(function_.is_cached()) << "it asks for something else";
  function_.NoteCached(kLoop);
  EXPECT_TRUE(function_.is_cached());
  EXPECT_FALSE(function_.IsToBeSought(now + absl::Hours(1), /*has_relatives=*/true));
}

TEST_F(HotFunctionTest, LaterCallsEnterTheContinuationSoon) {
  HotnessCounter& counter = Poll();
  CountCalls();
  function_.GiveContinuation(kLoop, {&body_, nullptr});
  EXPECT_EQ(counter.left, 0);
  ASSERT_NE(function_.EnterContinuation(kLoop).code, nullptr);
  EXPECT_EQ(counter.left, 31);
}

TEST_F(HotFunctionTest, ALoopLetsAnotherEnterItsContinuationBeforeItAsks) {
  HotnessCounter& counter = Poll();
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop + 1));
  function_.GiveContinuation(kLoop, {&body_, nullptr});
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop));
  EXPECT_FALSE(function_.PutOffForOtherLoop(kNoLoop));
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
  EXPECT_EQ(counter.left, 63);
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_FALSE(function_.PutOffForOtherLoop(kLoop + 1));
  ASSERT_NE(function_.EnterContinuation(kLoop).code, nullptr);
  EXPECT_TRUE(function_.PutOffForOtherLoop(kLoop + 1));
}

constexpr absl::Duration kLongest = absl::Milliseconds(100);

TEST_F(HotFunctionTest, ACounterThatHasRunOutIsSeen) {
  std::atomic<int32_t>& calls = CountCalls();
  EXPECT_FALSE(function_.Look(kLongest));
  calls = -1 - 2 * (kInterval + 1);
  EXPECT_TRUE(function_.Look(kLongest));
  EXPECT_EQ(calls, kInterval);
  EXPECT_EQ(first_body_.intervals(), 3u);
  EXPECT_EQ(function_.request().wanted(), kNoLoop);
  calls = -1;
  EXPECT_FALSE(function_.Look(kLongest));
  EXPECT_EQ(first_body_.intervals(), 4u);
}

TEST_F(HotFunctionTest, AFunctionWithoutPollsThatWasActiveForLongAsks) {
  CountCalls(HotnessSigns::kCallsOnly);
  first_body_.NoteActivity(absl::Milliseconds(120));
  EXPECT_TRUE(function_.Look(kLongest));
  EXPECT_EQ(function_.request().wanted(), kNoLoop);
}

TEST_F(HotFunctionTest, IsWorthIdleTimeUntilItAsksOrHasItsAnswer) {
  HotFunction function(nullptr, FunctionKey(), 99'999);
  ASSERT_TRUE(function.first_body().MakeCallCounter(&calls_, HotnessSigns::kCallsAndLoops).ok());
  function.first_body().BeginCounting(ExecutorAddress::Of(&body_), 7, kPause);
  function.first_body().counters().calls->left() -= 12'600;
  (void)function.first_body().TakeMoves();
  EXPECT_TRUE(function.IsWorthIdleTime());
  ASSERT_TRUE(function.request().Ask(kNoLoop));
  EXPECT_FALSE(function.IsWorthIdleTime()) << "asks already";
  function.GiveBody(std::nullopt);
  EXPECT_FALSE(function.IsWorthIdleTime()) << "has its answer";
}

TEST_F(HotFunctionTest, IsWarmOnceItHasAsked) {
  Poll();
  CountCalls();
  first_body_.CountInterval();
  EXPECT_TRUE(function_.IsWarm());
}

TEST_F(HotFunctionTest, IsWarmIfItWillBeHotOrIsDecided) {
  HotFunction function(nullptr, FunctionKey(), 99'999);
  ASSERT_TRUE(function.first_body().MakeCallCounter(&calls_, HotnessSigns::kCallsAndLoops).ok());
  EXPECT_FALSE(function.IsWarm());
  function.NoteThatItWillBeHot();
  EXPECT_TRUE(function.IsWarm());
  function_.GiveBody(std::nullopt);
  EXPECT_TRUE(function_.IsWarm());
}

TEST_F(HotFunctionTest, CountsItsBranchesOnceIfItIsCalledAgain) {
  std::atomic<int32_t>& calls = CountCalls();
  --calls;
  EXPECT_FALSE(function_.WantsToCountBranches());
  --calls;
  EXPECT_TRUE(function_.WantsToCountBranches());
  const absl::Duration before = SteadyNow();
  function_.BeginCountingBranches(ExecutorAddress::Of(&body_), BranchCounterBlock());
  EXPECT_FALSE(function_.WantsToCountBranches());
  EXPECT_TRUE(function_.IsCountingBranches(before));
  function_.GiveBody(std::nullopt);
  EXPECT_FALSE(function_.IsCountingBranches(before));
}

TEST_F(HotFunctionTest, KeepsStatistics) {
  Poll();
  CountCalls();
  first_body_.CountInterval();
  function_.NoteBody(70, kPause, /*is_cached=*/false);
  first_body_.CountInterval();
  function_.notes().NoteContinuation(80, kPause);
  const FunctionHotness hotness = function_.hotness();
  EXPECT_EQ(hotness.polls, 2u * (kInterval + 1));
  EXPECT_EQ(hotness.polls_promoted, kInterval + 1u);
  EXPECT_EQ(hotness.first_bytes, 7u);
  EXPECT_EQ(hotness.optimized_bytes, 70u);
  EXPECT_EQ(hotness.continuation_bytes, 80u);
}

}  // namespace
}  // namespace firstcall
