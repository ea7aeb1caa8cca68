#include "base/pointer_map.h"

#include <vector>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(PointerMapTest, FindsWhatWasInserted) {
  std::vector<int> keys(5000);
  PointerMap<int> map;
  EXPECT_EQ(map.Find(&keys[0]), nullptr);
  for (int i = 0; i < 5000; ++i) map.Insert(&keys[i], i);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_NE(map.Find(&keys[i]), nullptr);
    EXPECT_EQ(*map.Find(&keys[i]), i);
  }
}

TEST(PointerMapTest, HasNullAsAKey) {
  PointerMap<int> map;
  EXPECT_EQ(map.Find(nullptr), nullptr);
  map.Insert(nullptr, 7);
  ASSERT_NE(map.Find(nullptr), nullptr);
  EXPECT_EQ(*map.Find(nullptr), 7);
}

TEST(PointerMapTest, ForgetsAtClear) {
  int key = 0;
  PointerMap<int> map;
  for (int round = 0; round < 1000; ++round) {
    EXPECT_EQ(map.Find(&key), nullptr);
    map.Insert(&key, round);
    EXPECT_EQ(*map.Find(&key), round);
    map.Clear();
  }
}

}  // namespace
}  // namespace firstcall
