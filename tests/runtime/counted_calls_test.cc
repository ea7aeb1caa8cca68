#include "runtime/promotion/counted_calls.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "memory/unwind_registry.h"
#include "stubs/call_counter.h"
#include "stubs/stub_architecture.h"

namespace firstcall {
namespace {

constexpr int32_t kLeft = 99;

class CountedCallsTest : public testing::Test {
 protected:
  std::atomic<int32_t>& Begin() {
    EXPECT_TRUE(calls_.MakeCounter(memory_, kLeft).ok());
    return calls_.counter()->left();
  }

  CallCounters memory_{
      HostStubArchitecture(),
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()).value(),
      std::make_shared<UnwindRegistry>(), nullptr};
  CountedCalls calls_;
};

TEST_F(CountedCallsTest, CallsThatAreNotCountedCountAsMany) {
  EXPECT_FALSE(calls_.counter());
  EXPECT_EQ(calls_.number(), INT64_MAX);
  EXPECT_EQ(calls_.left(), 0);
  EXPECT_FALSE(calls_.are_repeated());
  EXPECT_EQ(calls_.TakeRunOut(), std::nullopt);
}

TEST_F(CountedCallsTest, ThereIsOneCounter) {
  std::atomic<int32_t>& left = Begin();
  left -= 2;
  EXPECT_EQ(&Begin(), &left);
  EXPECT_EQ(calls_.left(), kLeft - 2);
  EXPECT_EQ(calls_.number(), 2);
}

TEST_F(CountedCallsTest, TheSecondCallIsARepetition) {
  std::atomic<int32_t>& left = Begin();
  --left;
  EXPECT_FALSE(calls_.are_repeated());
  --left;
  EXPECT_TRUE(calls_.are_repeated());
}

TEST_F(CountedCallsTest, CallsAreCountedAnewOnceTheCounterHasRunOut) {
  std::atomic<int32_t>& left = Begin();
  left = 0;
  EXPECT_EQ(calls_.TakeRunOut(), std::nullopt);
  left = -7;
  EXPECT_EQ(calls_.TakeRunOut(), 7);
  EXPECT_EQ(left, kLeft);
  EXPECT_EQ(calls_.number(), 0);
  EXPECT_TRUE(calls_.are_repeated());
  calls_.RunOut();
  EXPECT_EQ(calls_.TakeRunOut(), 1);
}

TEST_F(CountedCallsTest, TheNextCallAsksUnlessTheCounterHasRunOut) {
  std::atomic<int32_t>& left = Begin();
  calls_.AskAtNext();
  EXPECT_EQ(left, 0);
  left = -7;
  calls_.AskAtNext();
  EXPECT_EQ(left, -7);
}

}  // namespace
}  // namespace firstcall
