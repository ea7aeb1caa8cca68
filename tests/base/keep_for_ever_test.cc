#include "base/keep_for_ever.h"

#include <memory>
#include <utility>

#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(KeepForEverTest, KeepsEachObject) {
  auto first = std::make_shared<int>(1);
  auto second = std::make_shared<int>(2);
  const std::weak_ptr<int> kept[] = {first, second};
  KeepForEver(std::move(first));
  KeepForEver(std::move(second));
  EXPECT_EQ(*kept[0].lock(), 1);
  EXPECT_EQ(*kept[1].lock(), 2);
}

}  // namespace
}  // namespace firstcall
