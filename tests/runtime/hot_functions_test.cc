#include "runtime/promotion/hot_functions.h"

#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "runtime/link/hotness_counters.h"
#include "runtime/promotion/promotion_books.h"
#include "runtime/promotion/waiting_list.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr int32_t kInterval = 99'999;
constexpr absl::Duration kTime = absl::Milliseconds(60);
constexpr HotFunctions::Since kLook = {kTime, kTime, kTime};

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

class HotFunctionsTest : public testing::Test {
 protected:
  // A function with polls, whose body is running.
  HotnessCounter& Add(uint32_t ordinal) {
    HotFunction& function = functions_.Get({nullptr, SymbolOrdinal{ordinal}});
    FirstBody& body = function.first_body();
    HotnessCounter* counter =
        body.polls()
            .MakeCounter(polls_, &Handler, nullptr, &function, /*asks_early=*/false)
            .value();
    body.BeginCounting(ExecutorAddress(), 1, absl::ZeroDuration());
    return *counter;
  }

  const std::shared_ptr<ArenaMemory> memory_ =
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value();
  HotnessCounters polls_{memory_};
  HotFunctions functions_{nullptr, kInterval};
  PromotionBooks books_{/*weighs_gains=*/false};
  WaitingList waiting_;
};

TEST_F(HotFunctionsTest, ALoopThatIsActiveAloneIsTakenForHot) {
  HotnessCounter& slow = Add(0);
  for (int i = 0; i < 2; ++i) {
    --slow.left;
    functions_.LookAtCounters(kLook, books_, waiting_);
  }
  EXPECT_EQ(slow.left, 0);
}

// Twenty functions that come round once in a while would otherwise all be taken for hot.
TEST_F(HotFunctionsTest, FunctionsThatAreActiveTogetherShareTheTime) {
  std::vector<HotnessCounter*> counters;
  for (uint32_t i = 0; i < 20; ++i) counters.push_back(&Add(i));
  for (int i = 0; i < 20; ++i) {
    for (HotnessCounter* counter : counters) --counter->left;
    functions_.LookAtCounters(kLook, books_, waiting_);
  }
  for (const HotnessCounter* counter : counters) EXPECT_EQ(counter->left, kInterval - 20);
}

TEST_F(HotFunctionsTest, AmongOthersALoopWithManySlowIterationsIsTakenForHot) {
  HotnessCounter& slow = Add(0);
  std::vector<HotnessCounter*> others;
  for (uint32_t i = 1; i < 100; ++i) others.push_back(&Add(i));
  for (int i = 0; i < 2; ++i) {
    slow.left -= 200;
    for (HotnessCounter* counter : others) --counter->left;
    functions_.LookAtCounters(kLook, books_, waiting_);
  }
  EXPECT_EQ(slow.left, 0);
  EXPECT_EQ(others.front()->left, kInterval - 2);
}

TEST_F(HotFunctionsTest, TheProgramsTimeIsSharedByWorkAndForgottenInAChild) {
  HotnessCounter& more = Add(0);
  HotnessCounter& less = Add(1);
  (void)Add(2);
  const auto body = [&](uint32_t ordinal) -> const FirstBody& {
    return functions_.Get({nullptr, SymbolOrdinal{ordinal}}).first_body();
  };
  more.left -= 30'000;
  less.left -= 10'000;
  functions_.LookAtCounters({kTime, kTime, absl::Microseconds(4)}, books_, waiting_);
  EXPECT_EQ(body(0).time_taken(), absl::Microseconds(3));
  EXPECT_EQ(body(1).time_taken(), absl::Microseconds(1));
  EXPECT_EQ(body(2).time_taken(), absl::ZeroDuration());
  EXPECT_EQ(body(2).idle(), kTime);
  functions_.ForgetTimes();
  EXPECT_EQ(body(0).time_taken(), absl::ZeroDuration());
}

TEST_F(HotFunctionsTest, ALoopThatWaitsIsNotActiveIfGainsAreWeighed) {
  HotnessCounter& waiting = Add(0);
  const FirstBody& body = functions_.Get({nullptr, SymbolOrdinal{0}}).first_body();
  PromotionBooks weighing(/*weighs_gains=*/true);
  --waiting.left;
  functions_.LookAtCounters({kTime, kTime, absl::Milliseconds(1)}, weighing, waiting_);
  EXPECT_EQ(body.activity(), absl::Milliseconds(1));
  --waiting.left;
  functions_.LookAtCounters({kTime, kTime, absl::Milliseconds(1)}, books_, waiting_);
  EXPECT_EQ(body.activity(), absl::Milliseconds(1) + kTime);
}

TEST_F(HotFunctionsTest, IdleTimeIsForWhatIsCalledMost) {
  CallCounters calls(HostStubArchitecture(), memory_, std::make_shared<UnwindRegistry>(), nullptr);
  std::vector<HotFunction*> functions;
  for (uint32_t i = 0; i < 3; ++i) {
    HotFunction& function = functions_.Get({nullptr, SymbolOrdinal{i}});
    ASSERT_TRUE(function.first_body().MakeCallCounter(&calls, HotnessSigns::kCallsAndLoops).ok());
    function.first_body().BeginCounting(ExecutorAddress(), 1, absl::ZeroDuration());
    functions.push_back(&function);
  }
  EXPECT_EQ(functions_.FindForIdleTime(books_), nullptr);
  const auto call = [](HotFunction& function, int32_t times) {
    function.first_body().counters().calls->left() -= times;
  };
  call(*functions[0], 20'000);
  call(*functions[1], 30'000);
  call(*functions[2], 40);
  functions_.LookAtCounters(kLook, books_, waiting_);
  EXPECT_EQ(functions_.FindForIdleTime(books_), functions[1]);
  ASSERT_TRUE(functions[1]->request().Ask(kNoLoop));
  EXPECT_EQ(functions_.FindForIdleTime(books_), functions[0]);
  ASSERT_TRUE(functions[0]->request().Ask(kNoLoop));
  EXPECT_EQ(functions_.FindForIdleTime(books_), nullptr);
  PromotionBooks weighing(/*weighs_gains=*/true);
  functions[0]->request().Withdraw();
  EXPECT_EQ(functions_.FindForIdleTime(weighing), nullptr) << "does not pay";
  for (HotFunction* function : functions) calls.Free(*function->first_body().counters().calls);
}

}  // namespace
}  // namespace firstcall
