#include "runtime/promotion/continuations.h"

#include <cstdint>

#include "gtest/gtest.h"
#include "seam/hotness_counter.h"

namespace firstcall {
namespace {

constexpr uint32_t kLoop = 5;

TEST(ContinuationsTest, EachLoopHasItsOwn) {
  Continuations continuations;
  char code = 0;
  char other_code = 0;
  EXPECT_FALSE(continuations.HasAnswer(kLoop));
  continuations.Give(kLoop, &code);
  continuations.Give(kLoop + 1, &other_code);
  EXPECT_TRUE(continuations.HasAnswer(kLoop));
  EXPECT_TRUE(continuations.Has(kLoop));
  EXPECT_EQ(continuations.Enter(kLoop), &code);
  EXPECT_EQ(continuations.Enter(kLoop + 1), &other_code);
  EXPECT_EQ(continuations.Enter(kLoop + 2), nullptr);
  EXPECT_EQ(continuations.Enter(kNoLoop), nullptr);
  EXPECT_EQ(continuations.entered(), 2u);
}

TEST(ContinuationsTest, ThatThereCanBeNoneIsAnAnswer) {
  Continuations continuations;
  continuations.Give(kLoop, nullptr);
  EXPECT_TRUE(continuations.HasAnswer(kLoop));
  EXPECT_FALSE(continuations.Has(kLoop));
  EXPECT_EQ(continuations.Enter(kLoop), nullptr);
  EXPECT_EQ(continuations.entered(), 0u);
}

}  // namespace
}  // namespace firstcall
