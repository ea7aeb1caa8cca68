#include "runtime/promotion/poll_budget.h"

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "seam/poll_allowance.h"

namespace firstcall {
namespace {

TEST(PollBudgetTest, MoreComesWithTime) {
  const PollBudget begun(/*is_unlimited=*/false, SteadyNow());
  EXPECT_GE(begun.left(), PollBudget::kFirst);
  const PollBudget old(/*is_unlimited=*/false, SteadyNow() - absl::Hours(1));
  EXPECT_GE(old.left(), PollBudget::kFirst + 3600 * 1000);
  EXPECT_GT(old.left(), begun.left());
}

TEST(PollBudgetTest, IsSpent) {
  PollBudget budget(/*is_unlimited=*/false, SteadyNow() + absl::Hours(1));
  const int64_t before = budget.left();
  budget.Add(-1000000000);
  EXPECT_LT(budget.left(), before - 900000000);
  budget.Add(2000000000);
  EXPECT_GT(budget.left(), before + 900000000);
}

TEST(PollBudgetTest, AnUnlimitedOneIsNeverUsedUp) {
  PollBudget budget(/*is_unlimited=*/true, SteadyNow());
  budget.Add(-1000000);
  EXPECT_EQ(budget.left(), kUnlimitedPolls);
}

}  // namespace
}  // namespace firstcall
