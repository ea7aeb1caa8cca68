#include "runtime/promotion/promotion_notes.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "seam/promotion_stats.h"

namespace firstcall {
namespace {

constexpr absl::Duration kTime = absl::Milliseconds(2);

TEST(PromotionNotesTest, AreEmptyAtFirst) {
  const FunctionHotness hotness = PromotionNotes().Collect();
  EXPECT_EQ(hotness.tier, 0);
  EXPECT_EQ(hotness.failures, 0u);
  EXPECT_TRUE(hotness.steps.empty());
}

TEST(PromotionNotesTest, HaveWhatWasMadeAndWhatFailed) {
  PromotionNotes notes;
  notes.NoteBody(70, kTime, /*is_cached=*/true, 100);
  notes.NoteContinuation(80, kTime);
  notes.NoteContinuation(30, kTime);
  notes.NoteFailure("reason");
  notes.NoteFailure("later reason");
  PromotionStep step;
  step.code_bytes = 70;
  notes.NoteStep(step);
  const FunctionHotness hotness = notes.Collect();
  EXPECT_EQ(hotness.tier, 1);
  EXPECT_TRUE(hotness.is_cached);
  EXPECT_EQ(hotness.optimized_bytes, 70u);
  EXPECT_EQ(hotness.optimized_time, kTime);
  EXPECT_EQ(hotness.polls_promoted, 100u);
  EXPECT_EQ(hotness.continuations, 2u);
  EXPECT_EQ(hotness.continuation_bytes, 110u);
  EXPECT_EQ(hotness.continuation_time, 2 * kTime);
  EXPECT_EQ(hotness.failures, 2u);
  EXPECT_EQ(hotness.last_failure, "later reason");
  ASSERT_EQ(hotness.steps.size(), 1u);
  EXPECT_EQ(hotness.steps[0].code_bytes, 70u);
}

}  // namespace
}  // namespace firstcall
