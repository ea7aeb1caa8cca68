#include "stubs/call_counter.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "stubs/stub_architecture.h"
#include "stubs/stub_table.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

int PlusOne(int x) { return x + 1; }
int TimesTwo(int x) { return x * 2; }
int Throw(int x) { throw x; }

using Function = int (*)(int);

ExecutorAddress BodyOf(Function function) {
  return ExecutorAddress::Of(reinterpret_cast<const void*>(function));
}

Function CodeOf(const CallCounter& counter) { return counter.address().InThisProcess<Function>(); }

absl::StatusOr<CallCounter> MakeFor(CallCounters& counters, Function function, int32_t left) {
  absl::StatusOr<CallCounter> counter = counters.Make(left);
  if (counter.ok()) counter->GoOnTo(BodyOf(function));
  return counter;
}

class CallCounterTest : public testing::Test {
 protected:
  CallCounters& WithSizes(const ArenaSizes& sizes, CallCounters::RunOutHandler handler = nullptr) {
    ArenaMemoryOptions options;
    options.sizes = sizes;
    options.budget = sizes.code + sizes.read_only + sizes.data;
    memory_ = ArenaMemory::Create(std::make_shared<InProcessMapper>(), options).value();
    counters_ = std::make_unique<CallCounters>(HostStubArchitecture(), memory_, unwind_registry_,
                                               std::move(handler));
    return *counters_;
  }
  CallCounters& Make(CallCounters::RunOutHandler handler = nullptr) {
    return WithSizes({1 << 20, 1 << 20, 1 << 20}, std::move(handler));
  }

  std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_ = std::make_shared<UnwindRegistry>();
  std::unique_ptr<CallCounters> counters_;
};

TEST_F(CallCounterTest, CallsGoOnToTheBodyAndAreCounted) {
  CallCounters& counters = Make();
  const CallCounter counter = MakeFor(counters, PlusOne, 2).value();
  EXPECT_EQ(CodeOf(counter)(41), 42);
  EXPECT_EQ(counter.left(), 1);
  EXPECT_EQ(CodeOf(counter)(1), 2);
  EXPECT_EQ(CodeOf(counter)(2), 3);
  EXPECT_EQ(counter.left(), -1);
}

TEST_F(CallCounterTest, CountWrapsIfNobodySetsIt) {
  int times = 0;
  CallCounters& counters = Make([&](const CallCounter&) { ++times; });
  const CallCounter counter = MakeFor(counters, PlusOne, INT32_MIN).value();
  EXPECT_EQ(CodeOf(counter)(41), 42);
  EXPECT_EQ(counter.left(), INT32_MAX);
  EXPECT_EQ(times, 0);
}

TEST_F(CallCounterTest, HandlerIsCalledOnceWhenNothingIsLeft) {
  std::vector<int32_t> left_in_handler;
  CallCounters& counters =
      Make([&](const CallCounter& counter) { left_in_handler.push_back(counter.left()); });
  const CallCounter counter = MakeFor(counters, PlusOne, 3).value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(CodeOf(counter)(i), i + 1);
  EXPECT_THAT(left_in_handler, IsEmpty());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(CodeOf(counter)(i), i + 1);
  EXPECT_THAT(left_in_handler, ElementsAre(-1));
  EXPECT_EQ(counter.left(), -100);
}

TEST_F(CallCounterTest, HandlerIsCalledAgainWhenTheCountIsSetAgain) {
  int times = 0;
  CallCounters& counters = Make([&](const CallCounter& counter) {
    ++times;
    counter.left() = 9;
  });
  const CallCounter counter = MakeFor(counters, PlusOne, 9).value();
  for (int i = 0; i < 35; ++i) EXPECT_EQ(CodeOf(counter)(i), i + 1);
  EXPECT_EQ(times, 3);
  EXPECT_EQ(counter.left(), 4);
  counter.left() = -1;
  for (int i = 0; i < 35; ++i) EXPECT_EQ(CodeOf(counter)(i), i + 1);
  EXPECT_EQ(times, 3);
}

// In more than one block.
TEST_F(CallCounterTest, HandlerGetsTheCounterThatHasRunOut) {
  std::vector<ExecutorAddress> run_out;
  CallCounters& counters =
      Make([&](const CallCounter& counter) { run_out.push_back(counter.address()); });
  std::vector<CallCounter> made;
  for (int i = 0; i < 300; ++i) made.push_back(MakeFor(counters, PlusOne, 0).value());
  for (size_t i = 0; i < made.size(); ++i) {
    EXPECT_EQ(CodeOf(made[i])(7), 8);
    ASSERT_EQ(run_out.size(), i + 1);
    EXPECT_EQ(run_out.back(), made[i].address());
  }
}

TEST_F(CallCounterTest, CallGoesOnToTheBodyThatTheHandlerSets) {
  CallCounters& counters =
      Make([](const CallCounter& counter) { counter.GoOnTo(BodyOf(TimesTwo)); });
  const CallCounter counter = MakeFor(counters, PlusOne, 1).value();
  EXPECT_EQ(CodeOf(counter)(10), 11);
  EXPECT_EQ(CodeOf(counter)(10), 20);
}

// A body may call itself by way of its counter, and the handler may be where that happens.
TEST_F(CallCounterTest, HandlerMayCallTheCounter) {
  int result = 0;
  CallCounters& counters = Make([&](const CallCounter& counter) { result = CodeOf(counter)(1); });
  const CallCounter counter = MakeFor(counters, PlusOne, 0).value();
  EXPECT_EQ(CodeOf(counter)(10), 11);
  EXPECT_EQ(result, 2);
  EXPECT_EQ(counter.left(), -2);
}

TEST_F(CallCounterTest, EachHasItsOwnBodyAndCount) {
  CallCounters& counters = Make();
  std::vector<CallCounter> made;
  std::set<uint64_t> addresses;
  for (int i = 0; i < 1000; ++i) {
    made.push_back(MakeFor(counters, i % 2 == 0 ? PlusOne : TimesTwo, i).value());
    EXPECT_TRUE(addresses.insert(made.back().address().value()).second);
  }
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(CodeOf(made[i])(7), i % 2 == 0 ? 8 : 14);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(made[i].left(), i - 1);
}

TEST_F(CallCounterTest, StubLeadsThroughItsCounter) {
  CallCounters& counters = Make();
  StubTable stubs(HostStubArchitecture(), memory_, unwind_registry_,
                  [](const std::atomic<void*>&) { return ExecutorAddress(); });
  const Stub stub = stubs.Make(nullptr).value();
  const CallCounter counter = MakeFor(counters, PlusOne, 10).value();
  stub.Publish(counter.address());
  const auto function = stub.address().InThisProcess<Function>();
  EXPECT_EQ(function(1), 2);
  EXPECT_EQ(counter.left(), 9);
  stub.Publish(BodyOf(TimesTwo));
  EXPECT_EQ(function(10), 20);
  EXPECT_EQ(counter.left(), 9);
}

TEST_F(CallCounterTest, ExceptionsOfTheBodyReachTheCaller) {
  CallCounters& counters = Make();
  const CallCounter counter = MakeFor(counters, Throw, 10).value();
  EXPECT_THROW(CodeOf(counter)(3), int);
  EXPECT_EQ(counter.left(), 9);
}

TEST_F(CallCounterTest, ExceptionsOfTheBodyReachTheCallerWhenACounterRunsOut) {
  CallCounters& counters = Make([](const CallCounter&) {});
  const CallCounter counter = MakeFor(counters, Throw, 0).value();
  EXPECT_THROW(CodeOf(counter)(3), int);
  EXPECT_EQ(counter.left(), -1);
}

TEST_F(CallCounterTest, FreedOnesAreUsedAgain) {
  CallCounters& counters = Make();
  const CallCounter first = MakeFor(counters, PlusOne, 5).value();
  CodeOf(first)(1);
  const size_t used = memory_->usage().used.total();
  for (int i = 0; i < 10000; ++i) {
    const CallCounter counter = MakeFor(counters, TimesTwo, i).value();
    EXPECT_EQ(counter.left(), i);
    EXPECT_EQ(CodeOf(counter)(4), 8);
    counters.Free(counter);
  }
  EXPECT_EQ(memory_->usage().used.total(), used);
  EXPECT_EQ(CodeOf(first)(1), 2);
  EXPECT_EQ(first.left(), 3);
}

TEST_F(CallCounterTest, WithoutMemoryThereIsNone) {
  CallCounters& counters = WithSizes({16384, 16384, 16384});
  absl::StatusOr<CallCounter> counter = MakeFor(counters, PlusOne, 1);
  std::vector<CallCounter> made;
  while (counter.ok()) {
    made.push_back(*counter);
    ASSERT_LT(made.size(), 100000u);
    counter = MakeFor(counters, PlusOne, 1);
  }
  EXPECT_THAT(counter.status(), StatusIs(absl::StatusCode::kResourceExhausted));
  for (const CallCounter& each : made) EXPECT_EQ(CodeOf(each)(1), 2);
}

TEST_F(CallCounterTest, ThreadsThatCallAtTheSameTimeAllGoOn) {
  CallCounters& counters = Make();
  const CallCounter counter = MakeFor(counters, PlusOne, 1000000).value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) ASSERT_EQ(CodeOf(counter)(i), i + 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(counter.left(), 1000000 - 10000);
  EXPECT_GE(counter.left(), 1000000 - 40000);
}

// Several of them may find the same 0 left; one of them does.
TEST_F(CallCounterTest, OfThreadsThatCallAtTheSameTimeOneAtLeastCallsTheHandler) {
  constexpr int kRounds = 200, kThreads = 4, kCalls = 500;
  std::atomic<int> times = 0;
  CallCounters& counters = Make([&](const CallCounter&) { ++times; });
  for (int round = 0; round < kRounds; ++round) {
    const CallCounter counter = MakeFor(counters, PlusOne, round).value();
    times = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kCalls; ++i) ASSERT_EQ(CodeOf(counter)(i), i + 1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    while (counter.left() >= 0) CodeOf(counter)(0);  // For counts that were lost.
    EXPECT_GE(times, 1);
    counters.Free(counter);
  }
}

}  // namespace
}  // namespace firstcall
