#include "runtime/promotion/waiting_list.h"

#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "runtime/link/hotness_counters.h"
#include "runtime/promotion/asking_stack.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 10;

class WaitingListTest : public testing::Test {
 protected:
  HotFunction& Make(int asked_times, SourceModule* module = nullptr) {
    HotFunction& function = functions_.emplace_back(nullptr, FunctionKey{module, {}}, kInterval);
    FirstBody& body = function.first_body();
    EXPECT_TRUE(body.polls()
                    .MakeCounter(counters_, nullptr, nullptr, &function, /*asks_early=*/false)
                    .ok());
    for (int i = 0; i < asked_times; ++i) body.CountInterval();
    return function;
  }

  static bool IsNeverTold(const HotFunction&) { return false; }

  HotnessCounters counters_{
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value()};
  std::deque<HotFunction> functions_;
  AskingStack asking_;
  WaitingList waiting_;
};

TEST_F(WaitingListTest, TheHottestComesFirst) {
  HotFunction& cold = Make(1);
  HotFunction& hot = Make(3);
  HotFunction& warm = Make(2);
  asking_.Push(cold);
  asking_.Push(hot);
  waiting_.TakeOver(asking_);
  waiting_.Add(warm);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &hot);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &warm);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &cold);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), nullptr);
  EXPECT_TRUE(waiting_.empty());
}

// An interpreter, and what it calls.
TEST_F(WaitingListTest, WhatTakesLongToOptimizeComesLater) {
  HotFunction& large = Make(30);
  HotFunction& small = Make(2);
  HotFunction& smaller = Make(1);
  large.first_body().BeginCounting(ExecutorAddress(), 57000, absl::ZeroDuration());
  small.first_body().BeginCounting(ExecutorAddress(), 500, absl::ZeroDuration());
  smaller.first_body().BeginCounting(ExecutorAddress(), 400, absl::ZeroDuration());
  for (HotFunction* function : {&large, &small, &smaller}) waiting_.Add(*function);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &small);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &large);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &smaller);
}

TEST_F(WaitingListTest, WhatHasItsBodyComesLast) {
  HotFunction& hot = Make(3);
  hot.GiveBody(absl::ZeroDuration());
  HotFunction& warm = Make(2);
  HotFunction& can_have_none = Make(1);
  can_have_none.GiveBody(std::nullopt);
  for (HotFunction* function : {&hot, &warm, &can_have_none}) waiting_.Add(*function);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &warm);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &can_have_none);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &hot);
}

TEST_F(WaitingListTest, WhatNoLongerRunsComesLast) {
  HotFunction& hot = Make(3);
  HotFunction& warm = Make(2);
  for (HotFunction* function : {&hot, &warm}) {
    function->first_body().BeginCounting(ExecutorAddress(), 0, absl::ZeroDuration());
    waiting_.Add(*function);
  }
  warm.first_body().counters().polls->left -= 1;
  for (HotFunction* function : {&hot, &warm}) (void)function->first_body().TakeMoves();
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &warm);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &hot);
}

TEST_F(WaitingListTest, WhatMustWaitStays) {
  HotFunction& hot = Make(3);
  HotFunction& warm = Make(2);
  waiting_.Add(hot);
  waiting_.Add(warm);
  const auto is_hot = [&](const HotFunction& function) { return &function == &hot; };
  EXPECT_EQ(waiting_.TakeMostUrgent(is_hot), &warm);
  EXPECT_EQ(waiting_.TakeMostUrgent(is_hot), nullptr);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &hot);
}

TEST_F(WaitingListTest, AModuleIsForgotten) {
  // No list looks into a module.
  auto* const module = reinterpret_cast<SourceModule*>(&functions_);
  HotFunction& other = Make(1);
  waiting_.Add(Make(2, module));
  waiting_.Add(other);
  waiting_.Forget(module);
  EXPECT_EQ(waiting_.TakeMostUrgent(IsNeverTold), &other);
  EXPECT_TRUE(waiting_.empty());
}

TEST_F(WaitingListTest, ThreadsMayAskAtTheSameTime) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  for (int i = 0; i < kThreads * kEach; ++i) {
    functions_.emplace_back(nullptr, FunctionKey(), kInterval);
  }
  std::atomic<int> left{kThreads};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach; ++i) asking_.Push(functions_[thread * kEach + i]);
      --left;
    });
  }
  while (left > 0) waiting_.TakeOver(asking_);
  for (std::thread& thread : threads) thread.join();
  waiting_.TakeOver(asking_);
  int taken = 0;
  while (waiting_.TakeMostUrgent(IsNeverTold) != nullptr) ++taken;
  EXPECT_EQ(taken, kThreads * kEach);
}

}  // namespace
}  // namespace firstcall
