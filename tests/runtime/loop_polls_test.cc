#include "runtime/promotion/loop_polls.h"

#include <cstdint>
#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "runtime/link/hotness_counters.h"
#include "seam/hotness_counter.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 99;
constexpr uint32_t kLoop = 5;
constexpr int64_t kCalls = 1;
constexpr absl::Duration kLong = absl::Milliseconds(25);  // See LoopPolls::NoteEarly.

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

class LoopPollsTest : public testing::Test {
 protected:
  HotnessCounter& Counter(bool asks_early = false) {
    return *polls_.MakeCounter(memory_, &Handler, nullptr, this, asks_early).value();
  }

  HotnessCounters memory_{
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value()};
  LoopPolls polls_{kInterval};
};

TEST_F(LoopPollsTest, ThereIsOneCounter) {
  EXPECT_EQ(polls_.counter(), nullptr);
  HotnessCounter& counter = Counter();
  EXPECT_EQ(&Counter(), &counter);
  EXPECT_EQ(polls_.counter(), &counter);
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_EQ(counter.owner, this);
  EXPECT_FALSE(polls_.are_early());
}

TEST_F(LoopPollsTest, PollsThatAreTurnedAwayGoOn) {
  polls_.TurnAway();  // There is no counter yet.
  HotnessCounter& counter = Counter();
  polls_.TurnAway();
  EXPECT_EQ(counter.handler.load()(&counter, kLoop), nullptr);
  EXPECT_EQ(counter.left, INT32_MAX);
}

TEST_F(LoopPollsTest, EarlyPollsComeEachTimeTheIterationsHaveDoubled) {
  HotnessCounter& counter = Counter(/*asks_early=*/true);
  int32_t iterations = counter.left + 1;
  int polls = 0;
  for (; polls_.are_early(); ++polls) {
    const int32_t before = iterations;
    polls_.NoteEarly(kCalls, /*has_thread=*/false);
    iterations += counter.left + 1;
    if (polls_.are_early()) {
      EXPECT_EQ(iterations, 2 * before);
    }
  }
  EXPECT_EQ(polls, 5);
  EXPECT_EQ(iterations, kInterval + 1);
}

TEST_F(LoopPollsTest, ALoopTakesLongWithinACallButNotBetweenCalls) {
  Counter(/*asks_early=*/true);
  EXPECT_FALSE(polls_.NoteEarly(kCalls, /*has_thread=*/false));
  absl::SleepFor(kLong);
  EXPECT_FALSE(polls_.NoteEarly(kCalls + 1, /*has_thread=*/false));
  EXPECT_TRUE(polls_.are_early());
  absl::SleepFor(kLong);
  EXPECT_TRUE(polls_.NoteEarly(kCalls + 1, /*has_thread=*/false));
  EXPECT_FALSE(polls_.are_early());
}

TEST_F(LoopPollsTest, EarlyPollsEndOnceThereIsAThread) {
  HotnessCounter& counter = Counter(/*asks_early=*/true);
  const int32_t iterations = counter.left + 1;
  EXPECT_FALSE(polls_.NoteEarly(kCalls, /*has_thread=*/true));
  EXPECT_FALSE(polls_.are_early());
  EXPECT_EQ(iterations + counter.left, kInterval);
}

TEST_F(LoopPollsTest, AShortIntervalHasNoEarlyPolls) {
  LoopPolls polls(3);
  const HotnessCounter& counter =
      *polls.MakeCounter(memory_, &Handler, nullptr, this, /*asks_early=*/true).value();
  EXPECT_FALSE(polls.are_early());
  EXPECT_EQ(counter.left, 3);
}

TEST_F(LoopPollsTest, LoopsSeekAContinuationEverLater) {
  HotnessCounter& counter = Counter();
  EXPECT_FALSE(polls_.seek_continuation());
  polls_.SeekContinuationAtOnce();
  EXPECT_EQ(counter.left, 0);
  polls_.PutOff();
  EXPECT_EQ(counter.left, 63);
  EXPECT_TRUE(polls_.seek_continuation());
  polls_.PutOff();
  EXPECT_EQ(counter.left, kInterval);
  EXPECT_FALSE(polls_.seek_continuation());
  polls_.SeekContinuationSoon();
  EXPECT_EQ(counter.left, 31);
  EXPECT_TRUE(polls_.seek_continuation());
}

}  // namespace
}  // namespace firstcall
