#include "runtime/promotion/first_body.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "runtime/link/hotness_counters.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 99;
constexpr size_t kLargeBody = 20'000;
constexpr absl::Duration kPause = absl::Milliseconds(2);
constexpr absl::Duration kLong = absl::Milliseconds(25);  // See LoopPolls::NoteEarly.

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

class FirstBodyTest : public testing::Test {
 protected:
  HotnessCounter& Poll(bool asks_early = false) {
    return *body_.polls().MakeCounter(polls_, &Handler, nullptr, this, asks_early).value();
  }
  std::atomic<int32_t>& CountCalls(FirstBody& body,
                                   HotnessSigns signs = HotnessSigns::kCallsAndLoops) {
    EXPECT_TRUE(body.MakeCallCounter(&calls_, signs).ok());
    EXPECT_EQ(body.BeginCounting(ExecutorAddress::Of(&code_), 7, kPause),
              body.counters().calls->address());
    return body.counters().calls->left();
  }

  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  HotnessCounters polls_{memory_};
  CallCounters calls_{HostStubArchitecture(), memory_, std::make_shared<UnwindRegistry>(), nullptr};
  FirstBody body_{kInterval};
  char code_ = 0;
};

TEST_F(FirstBodyTest, IsPublishedItselfIfItsCallsAreNotCounted) {
  ASSERT_TRUE(body_.MakeCallCounter(nullptr, HotnessSigns::kCallsAndLoops).ok());
  EXPECT_FALSE(body_.is_made());
  const ExecutorAddress code = ExecutorAddress::Of(&code_);
  EXPECT_EQ(body_.BeginCounting(code, kLargeBody, kPause), code);
  EXPECT_TRUE(body_.is_made());
  EXPECT_TRUE(body_.is_large());
  EXPECT_EQ(body_.code_bytes(), kLargeBody);
  EXPECT_FALSE(body_.counters().calls);
}

TEST_F(FirstBodyTest, TheTimeBetweenCallsIsNotTheLoops) {
  std::atomic<int32_t>& calls = CountCalls(body_);
  Poll(/*asks_early=*/true);
  EXPECT_FALSE(body_.NoteEarlyPoll(/*has_thread=*/false));
  --calls;
  absl::SleepFor(kLong);
  EXPECT_FALSE(body_.NoteEarlyPoll(/*has_thread=*/false));
  absl::SleepFor(kLong);
  EXPECT_TRUE(body_.NoteEarlyPoll(/*has_thread=*/false));
}

TEST_F(FirstBodyTest, AsksAtTheNextPollIfCallsAreNotCounted) {
  HotnessCounter& counter = Poll();
  body_.AskWhenCalled();
  EXPECT_EQ(counter.left, 0);
  counter.left = 5;
  std::atomic<int32_t>& calls = CountCalls(body_);
  body_.AskWhenCalled();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(counter.left, 5);
}

TEST_F(FirstBodyTest, AnIntervalEndsAtAPollOrWhenTheCallCounterHasRunOut) {
  HotnessCounter& counter = Poll();
  std::atomic<int32_t>& calls = CountCalls(body_);
  EXPECT_FALSE(body_.TakeRunOut());
  counter.left = -1;
  body_.CountInterval();
  EXPECT_EQ(counter.left, kInterval);
  calls = -1 - 2 * (kInterval + 1);
  EXPECT_TRUE(body_.TakeRunOut());
  EXPECT_EQ(calls, kInterval);
  EXPECT_EQ(body_.intervals(), 4u);
  EXPECT_EQ(body_.counted(), 4u * (kInterval + 1));
}

TEST_F(FirstBodyTest, CallsAreCountedAnewOnceTheFunctionWasHot) {
  FirstBody body(99'999);
  std::atomic<int32_t>& calls = CountCalls(body, HotnessSigns::kCallsOnly);
  const int32_t first = calls;
  EXPECT_EQ(first, 99'999 / 256);
  calls = -1;
  EXPECT_TRUE(body.TakeRunOut());
  EXPECT_EQ(body.counted_calls(), 0);
  EXPECT_EQ(calls, first);
}

TEST_F(FirstBodyTest, ALoopThatWasActiveForLongPollsAtOnce) {
  HotnessCounter& counter = Poll();
  CountCalls(body_);
  counter.left -= 2;
  body_.NoteActivity(absl::Milliseconds(60));
  body_.AskIfActiveForLong(absl::Milliseconds(100));
  EXPECT_EQ(counter.left, kInterval - 2);
  body_.NoteActivity(absl::Milliseconds(60));
  body_.AskIfActiveForLong(absl::Milliseconds(100));
  EXPECT_EQ(counter.left, 0);
}

TEST_F(FirstBodyTest, MovesAreThoseSinceTheLastTime) {
  HotnessCounter& counter = Poll();
  EXPECT_EQ(body_.TakeMoves(), 0);  // There is no body yet.
  CountCalls(body_);
  counter.left -= 3;
  EXPECT_EQ(body_.TakeMoves(), 3);
  EXPECT_EQ(body_.TakeMoves(), 0);
  counter.left = kInterval;
  EXPECT_EQ(body_.TakeMoves(), kInterval + 1);
}

TEST_F(FirstBodyTest, WorkIsWhatCallsAndIterationsRunThrough) {
  constexpr uint64_t kBytes = 7 + 32;  // Of the body, and what a call takes besides.
  HotnessCounter& counter = Poll();
  EXPECT_EQ(body_.TakeWork(), 0u);  // There is no body yet.
  std::atomic<int32_t>& calls = CountCalls(body_);
  calls -= 3;
  counter.left -= 5;
  EXPECT_EQ(body_.TakeWork(), 8 * kBytes);
  EXPECT_EQ(body_.TakeWork(), 0u);
  counter.left -= kInterval - 5 + 1;
  body_.CountInterval();
  counter.left -= 2;
  EXPECT_EQ(body_.TakeWork(), (kInterval - 5 + 1 + 2) * kBytes);
  calls = -1;
  EXPECT_EQ(body_.TakeWork(), (kInterval - 3 + 1) * kBytes);
  EXPECT_TRUE(body_.TakeRunOut());
  calls -= 4;
  EXPECT_EQ(body_.TakeWork(), 4 * kBytes);
}

TEST_F(FirstBodyTest, WhatACounterIsSetToIsNoWork) {
  HotnessCounter& counter = Poll();
  CountCalls(body_);
  body_.NoteActivity(absl::Seconds(1));
  body_.AskIfActiveForLong(absl::Milliseconds(100));
  ASSERT_EQ(counter.left, 0);
  EXPECT_EQ(body_.TakeWork(), 0u);
  counter.left = 31;
  EXPECT_EQ(body_.TakeWork(), 0u);
}

TEST_F(FirstBodyTest, WorkOfAFunctionWhoseLoopsDoNotPollIsAGuess) {
  std::atomic<int32_t>& calls = CountCalls(body_, HotnessSigns::kCallsOnly);
  --calls;
  EXPECT_EQ(body_.TakeWork(), 256u * (7 + 32));
}

TEST_F(FirstBodyTest, TimeIsForgottenWithAnAnswer) {
  body_.NoteTime(absl::Milliseconds(3));
  body_.NoteActivity(absl::Milliseconds(5));
  body_.NoteIdleness(absl::Milliseconds(7));
  EXPECT_EQ(body_.time_taken(), absl::Milliseconds(3));
  EXPECT_EQ(body_.activity(), absl::Milliseconds(5));
  EXPECT_EQ(body_.idle(), absl::Milliseconds(7));
  body_.NoteTime(absl::Milliseconds(1));
  EXPECT_EQ(body_.time_taken(), absl::Milliseconds(4));
  EXPECT_EQ(body_.idle(), absl::ZeroDuration());
  body_.ForgetTime();
  EXPECT_EQ(body_.time_taken(), absl::ZeroDuration());
  EXPECT_EQ(body_.activity(), absl::ZeroDuration());
}

TEST_F(FirstBodyTest, IsQuietIfNeitherCallsNorIterationsAreCounted) {
  HotnessCounter& counter = Poll();
  std::atomic<int32_t>& calls = CountCalls(body_);
  EXPECT_FALSE(body_.is_quiet());  // Nobody has looked yet.
  (void)body_.TakeMoves();
  (void)body_.TakeMoves();
  EXPECT_TRUE(body_.is_quiet());
  counter.left -= 1;
  (void)body_.TakeMoves();
  EXPECT_FALSE(body_.is_quiet());
  calls -= 1;
  (void)body_.TakeMoves();
  EXPECT_FALSE(body_.is_quiet());
  (void)body_.TakeMoves();
  EXPECT_TRUE(body_.is_quiet());
  body_.SendCallsTo(ExecutorAddress::Of(&code_));
  (void)body_.TakeMoves();
  EXPECT_FALSE(body_.is_quiet());
}

TEST_F(FirstBodyTest, IsWorthIdleTimeWhileItIsCalledOften) {
  FirstBody body(99'999);
  EXPECT_FALSE(body.IsWorthIdleTime());
  std::atomic<int32_t>& calls = CountCalls(body);
  (void)body.TakeMoves();
  calls -= 12'000;
  (void)body.TakeMoves();
  EXPECT_FALSE(body.IsWorthIdleTime());
  calls -= 600;
  (void)body.TakeMoves();
  EXPECT_TRUE(body.IsWorthIdleTime());
  (void)body.TakeMoves();
  EXPECT_FALSE(body.IsWorthIdleTime()) << "no longer called";
}

TEST_F(FirstBodyTest, AThousandCallsAreTheLeastThatAreWorthIdleTime) {
  std::atomic<int32_t>& calls = CountCalls(body_);
  calls -= kInterval;
  (void)body_.TakeMoves();
  EXPECT_FALSE(body_.IsWorthIdleTime());
}

TEST_F(FirstBodyTest, IsWarmOnceItWasCalledAThousandthAsOftenAsAHotFunction) {
  FirstBody body(99'999);
  std::atomic<int32_t>& calls = CountCalls(body);
  calls -= 98;
  EXPECT_FALSE(body.IsWarm());
  --calls;
  EXPECT_TRUE(body.IsWarm());
}

TEST_F(FirstBodyTest, OfTwoThatRunAlikeTheSmallerIsMoreUrgent) {
  Poll();
  FirstBody small(kInterval);
  ASSERT_TRUE(
      small.polls().MakeCounter(polls_, &Handler, nullptr, this, /*asks_early=*/false).ok());
  body_.BeginCounting(ExecutorAddress::Of(&code_), kLargeBody, kPause);
  small.BeginCounting(ExecutorAddress::Of(&code_), 2'000, kPause);
  body_.CountInterval();
  small.CountInterval();
  EXPECT_GT(small.Urgency(), body_.Urgency());
}

TEST_F(FirstBodyTest, DescribesItself) {
  Poll();
  CountCalls(body_, HotnessSigns::kCallsOnly);
  body_.CountInterval();
  FunctionHotness hotness;
  body_.Describe(hotness);
  EXPECT_EQ(hotness.polls, kInterval + 1u);
  EXPECT_EQ(hotness.first_bytes, 7u);
  EXPECT_EQ(hotness.first_time, kPause);
  EXPECT_TRUE(hotness.has_loops_without_polls);
}

}  // namespace
}  // namespace firstcall
