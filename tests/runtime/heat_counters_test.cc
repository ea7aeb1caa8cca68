#include "runtime/heat_counters.h"

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

void* Handler(HeatCounter*, uint32_t) { return nullptr; }

TEST(HeatCountersTest, ACounterBeginsAsAsked) {
  HeatCounters counters(Memory());
  int owner = 0;
  HeatCounter* counter = counters.Make(41, &Handler, &owner).value();
  EXPECT_EQ(counter->left, 41);
  EXPECT_EQ(counter->handler, &Handler);
  EXPECT_EQ(counter->owner, &owner);
}

// More than a block has; each can be written without changing another.
TEST(HeatCountersTest, EachHasMemoryOfItsOwn) {
  HeatCounters counters(Memory());
  std::vector<HeatCounter*> made;
  for (int i = 0; i < 1000; ++i) made.push_back(counters.Make(i, &Handler, &made).value());
  EXPECT_EQ(std::set<HeatCounter*>(made.begin(), made.end()).size(), 1000u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(made[i]->left, i);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made[i]) % alignof(HeatCounter), 0u);
  }
}

TEST(HeatCountersTest, TheyLieInReachOfTheFirstArena) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  HeatCounters counters(memory);
  const auto first = reinterpret_cast<intptr_t>(memory->near_first().InThisProcess<char*>());
  for (int i = 0; i < 300; ++i) {
    HeatCounter* counter = counters.Make(0, &Handler, nullptr).value();
    EXPECT_LT(std::abs(reinterpret_cast<intptr_t>(counter) - first), intptr_t{1} << 31);
  }
}

TEST(HeatCountersTest, FreedOnesAreMadeAgainAndBeginAnew) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  HeatCounters counters(memory);
  std::vector<HeatCounter*> made;
  for (int i = 0; i < 200; ++i) made.push_back(counters.Make(i, nullptr, &made).value());
  const size_t used = memory->usage().used.total();
  const std::set<HeatCounter*> before(made.begin(), made.end());
  for (HeatCounter* counter : made) counters.Free(counter);
  for (int i = 0; i < 200; ++i) {
    HeatCounter* counter = counters.Make(7, &Handler, nullptr).value();
    EXPECT_TRUE(before.count(counter) == 1);
    EXPECT_EQ(counter->left, 7);
    EXPECT_EQ(counter->owner, nullptr);
  }
  EXPECT_EQ(memory->usage().used.total(), used);
}

TEST(HeatCountersTest, MemoryIsGivenBack) {
  std::shared_ptr<ArenaMemory> memory = Memory();
  {
    HeatCounters counters(memory);
    for (int i = 0; i < 1000; ++i) ASSERT_THAT(counters.Make(1, &Handler, nullptr), IsOk());
    EXPECT_GE(memory->usage().used.total(), 1000 * sizeof(HeatCounter));
  }
  EXPECT_EQ(memory->usage().used.total(), 0u);
}

TEST(HeatCountersTest, WithoutMemoryThereIsNone) {
  HeatCounters none(Memory(/*budget=*/100));
  EXPECT_THAT(none.Make(1, &Handler, nullptr), StatusIs(absl::StatusCode::kResourceExhausted));
  std::shared_ptr<ArenaMemory> memory = Memory(/*budget=*/3000);
  HeatCounters few(memory);
  int made = 0;
  while (few.Make(1, &Handler, nullptr).ok()) ++made;
  EXPECT_GT(made, 10);
  EXPECT_LE(made * sizeof(HeatCounter), 3000u);
}

}  // namespace
}  // namespace firstcall
