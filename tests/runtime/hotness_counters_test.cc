#include "runtime/link/hotness_counters.h"

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

std::shared_ptr<ArenaMemory> Memory(size_t budget = SIZE_MAX) {
  ArenaMemoryOptions options;
  options.budget = budget;
  return ArenaMemory::Create(std::make_shared<InProcessMapper>(), options).value();
}

void* Handler(HotnessCounter*, uint32_t) { return nullptr; }

TEST(HotnessCountersTest, ACounterBeginsAsAsked) {
  HotnessCounters counters(Memory());
  int owner = 0;
  HotnessCounter* counter = counters.Make(41, &Handler, nullptr, &owner).value();
  EXPECT_EQ(counter->left, 41);
  EXPECT_EQ(counter->handler, &Handler);
  EXPECT_EQ(counter->owner, &owner);
}

// More than a block has; each can be written without changing another.
TEST(HotnessCountersTest, EachHasMemoryOfItsOwn) {
  HotnessCounters counters(Memory());
  std::vector<HotnessCounter*> made;
  for (int i = 0; i < 1000; ++i) made.push_back(counters.Make(i, &Handler, nullptr, &made).value());
  EXPECT_EQ(std::set<HotnessCounter*>(made.begin(), made.end()).size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(made[i]->left, i);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made[i]) % alignof(HotnessCounter), 0u);
  }
}

TEST(HotnessCountersTest, TheyLieInReachOfTheFirstArena) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  HotnessCounters counters(memory);
  const auto first = reinterpret_cast<intptr_t>(memory->near_first().InThisProcess<char*>());
  for (int i = 0; i < 300; ++i) {
    HotnessCounter* counter = counters.Make(0, &Handler, nullptr, nullptr).value();
    EXPECT_LT(std::abs(reinterpret_cast<intptr_t>(counter) - first), intptr_t{1} << 31);
  }
}

TEST(HotnessCountersTest, FreedOnesAreMadeAgainAndBeginAnew) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  HotnessCounters counters(memory);
  std::vector<HotnessCounter*> made;
  for (int i = 0; i < 200; ++i) made.push_back(counters.Make(i, nullptr, nullptr, &made).value());
  const size_t used = memory->usage().used.total();
  const std::set<HotnessCounter*> before(made.begin(), made.end());
  for (HotnessCounter* counter : made) counters.Free(counter);
  for (int i = 0; i < 200; ++i) {
    HotnessCounter* counter = counters.Make(7, &Handler, nullptr, nullptr).value();
    EXPECT_TRUE(before.count(counter) == 1);
    EXPECT_EQ(counter->left, 7);
    EXPECT_EQ(counter->owner, nullptr);
  }
  EXPECT_EQ(memory->usage().used.total(), used);
}

TEST(HotnessCountersTest, MemoryIsGivenBack) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  {
    HotnessCounters counters(memory);
    for (int i = 0; i < 1000; ++i)
      ASSERT_THAT(counters.Make(1, &Handler, nullptr, nullptr), IsOk());
    EXPECT_GE(memory->usage().used.total(), 1000 * sizeof(HotnessCounter));
  }
  EXPECT_EQ(memory->usage().used.total(), 0u);
}

TEST(HotnessCountersTest, WithoutMemoryThereIsNone) {
  HotnessCounters none(Memory(/*budget=*/100));
  EXPECT_THAT(none.Make(1, &Handler, nullptr, nullptr),
              StatusIs(absl::StatusCode::kResourceExhausted));
  std::shared_ptr<ArenaMemory> memory = Memory(/*budget=*/3000);
  HotnessCounters few(memory);
  int made = 0;
  while (few.Make(1, &Handler, nullptr, nullptr).ok()) ++made;
  EXPECT_GT(made, 10);
  EXPECT_LE(made * sizeof(HotnessCounter), 3000u);
}

}  // namespace
}  // namespace firstcall
