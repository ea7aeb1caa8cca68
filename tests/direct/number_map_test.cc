// Maps beside std::map, which is asked the same.

#include "direct/number_map.h"

#include <cstdint>
#include <map>
#include <random>

#include "gtest/gtest.h"

namespace firstcall::direct {
namespace {

TEST(NumberMapTest, NewMapIsEmpty) {
  NumberMap map;
  map.Clear(1);
  EXPECT_FALSE(map.Has(0));
  EXPECT_EQ(map[0], NumberMap::kMissing);
}

TEST(NumberMapTest, LastValueOfAKeyCounts) {
  NumberMap map;
  map.Clear(1000);
  map.Set(999, 5);
  map.Set(999, 7);
  EXPECT_EQ(map[999], 7u);
  EXPECT_EQ(map[998], NumberMap::kMissing);
  map.Clear();
  EXPECT_FALSE(map.Has(999));
}

TEST(NumberMapTest, InsertTellsWhetherAKeyIsNew) {
  NumberMap map;
  map.Clear(100);
  EXPECT_TRUE(map.Insert(64));
  EXPECT_FALSE(map.Insert(64));
  EXPECT_TRUE(map.Insert(63));
  map.Clear();
  EXPECT_TRUE(map.Insert(64));
}

TEST(NumberMapTest, MapThatBecomesLargerKeepsNothing) {
  NumberMap map;
  map.Clear(10);
  map.Set(9, 1);
  map.Clear(100000);
  EXPECT_FALSE(map.Has(9));
  map.Set(99999, 2);
  EXPECT_EQ(map[99999], 2u);
}

TEST(NumberMapTest, AnswersAreThoseOfAnotherMap) {
  std::mt19937 random(7);
  NumberMap map;
  for (int round = 0; round < 50; ++round) {
    const uint32_t size = 1 + random() % 5000;
    map.Clear(size);
    std::map<uint32_t, uint32_t> expected;
    for (int i = 0; i < 300; ++i) {
      const uint32_t key = random() % size;
      if (random() % 3 == 0) {
        EXPECT_EQ(map.Insert(key), expected.emplace(key, 0).second);
      } else {
        const uint32_t value = random() % 1000;
        map.Set(key, value);
        expected[key] = value;
      }
    }
    for (uint32_t key = 0; key < size; ++key) {
      const auto found = expected.find(key);
      ASSERT_EQ(map[key], found == expected.end() ? NumberMap::kMissing : found->second);
    }
  }
}

}  // namespace
}  // namespace firstcall::direct
