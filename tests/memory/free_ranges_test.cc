#include "memory/free_ranges.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::Optional;

TEST(FreeRangesTest, TakesTheSmallestThatFits) {
  FreeRanges ranges;
  ranges.Add({1000, 100});
  ranges.Add({2000, 50});
  ranges.Add({3000, 10});
  EXPECT_THAT(ranges.Take(10, 1), Optional(3000u));
  EXPECT_THAT(ranges.Take(40, 1), Optional(2000u));
  EXPECT_EQ(ranges.total(), 110u);
}

TEST(FreeRangesTest, NeighboursBecomeOne) {
  FreeRanges ranges;
  ranges.Add({100, 10});
  ranges.Add({120, 10});
  const FreeRanges::Range merged = ranges.Add({110, 10});
  EXPECT_EQ(merged.address, 100u);
  EXPECT_EQ(merged.size, 30u);
  EXPECT_EQ(ranges.count(), 1u);
  EXPECT_THAT(ranges.Take(30, 4), Optional(100u));
}

TEST(FreeRangesTest, AlignsInsideALargerRange) {
  FreeRanges ranges;
  ranges.Add({101, 100});
  EXPECT_THAT(ranges.Take(16, 64), Optional(128u));
  EXPECT_EQ(ranges.total(), 84u);
  EXPECT_FALSE(ranges.Take(64, 64).has_value());
}

// Against a set of bytes that are free.
TEST(FreeRangesTest, AgreesWithASimpleModel) {
  constexpr size_t kSize = 512;
  std::mt19937 random(1);
  FreeRanges ranges;
  std::set<size_t> model;
  std::vector<FreeRanges::Range> taken;
  for (size_t i = 0; i < kSize; ++i) model.insert(i);
  ranges.Add({0, kSize});
  for (int i = 0; i < 20000; ++i) {
    if (random() % 2 == 0 || taken.empty()) {
      const size_t size = 1 + random() % 40;
      const size_t alignment = size_t{1} << random() % 6;
      if (std::optional<size_t> address = ranges.Take(size, alignment)) {
        EXPECT_EQ(*address % alignment, 0u);
        for (size_t byte = *address; byte < *address + size; ++byte) {
          ASSERT_EQ(model.erase(byte), 1u) << byte;
        }
        taken.push_back({*address, size});
      }
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      ranges.Add(taken.back());
      for (size_t byte = 0; byte < taken.back().size; ++byte) {
        model.insert(taken.back().address + byte);
      }
      taken.pop_back();
    }
    ASSERT_EQ(ranges.total(), model.size());
  }
  for (const FreeRanges::Range& range : taken) ranges.Add(range);
  EXPECT_EQ(ranges.count(), 1u);
}

}  // namespace
}  // namespace firstcall
