#include "runtime/promotion/continuations.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "seam/hotness_counter.h"
#include "seam/loop_exit.h"

namespace firstcall {
namespace {

constexpr uint32_t kLoop = 5;

TEST(ContinuationsTest, EachLoopHasItsOwn) {
  Continuations continuations;
  char code = 0;
  char other_code = 0;
  const auto exit = std::make_shared<const LoopExit>();
  EXPECT_FALSE(continuations.HasAnswer(kLoop));
  continuations.Give(kLoop, {&code, nullptr});
  continuations.Give(kLoop + 1, {&other_code, exit});
  EXPECT_TRUE(continuations.HasAnswer(kLoop));
  EXPECT_TRUE(continuations.Has(kLoop));
  EXPECT_EQ(continuations.Enter(kLoop).code, &code);
  EXPECT_EQ(continuations.Enter(kLoop + 1).code, &other_code);
  EXPECT_EQ(continuations.Enter(kLoop + 2).code, nullptr);
  EXPECT_EQ(continuations.Enter(kNoLoop).code, nullptr);
  EXPECT_EQ(continuations.entered(), 2u);
  EXPECT_EQ(continuations.Enter(kLoop).exit, nullptr);
  EXPECT_EQ(continuations.Enter(kLoop + 1).exit, exit.get());
}

// A thread may still read an exit when the continuations are gone.
TEST(ContinuationsTest, ExitsCanOutliveThem) {
  std::vector<std::shared_ptr<const LoopExit>> exits;
  const std::weak_ptr<const LoopExit> exit = [&] {
    Continuations continuations;
    char code = 0;
    const auto made = std::make_shared<const LoopExit>();
    continuations.Give(kLoop, {&code, made});
    continuations.Give(kLoop + 1, {&code, nullptr});
    exits = continuations.exits();
    return made;
  }();
  EXPECT_EQ(exits.size(), 1u);
  EXPECT_FALSE(exit.expired());
}

TEST(ContinuationsTest, ThatThereCanBeNoneIsAnAnswer) {
  Continuations continuations;
  continuations.Give(kLoop, {});
  EXPECT_TRUE(continuations.HasAnswer(kLoop));
  EXPECT_FALSE(continuations.Has(kLoop));
  EXPECT_EQ(continuations.Enter(kLoop).code, nullptr);
  EXPECT_EQ(continuations.entered(), 0u);
}

}  // namespace
}  // namespace firstcall
