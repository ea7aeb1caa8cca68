#include "base/poll_timeout.h"

#include <limits>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

TEST(PollTimeoutTest, WaitsForEverWithoutADeadline) {
  EXPECT_EQ(PollTimeout(absl::InfiniteDuration()), -1);
}

TEST(PollTimeoutTest, DoesNotWaitForWhatHasPassed) {
  EXPECT_EQ(PollTimeout(SteadyNow()), 0);
  EXPECT_EQ(PollTimeout(absl::ZeroDuration()), 0);
  EXPECT_EQ(PollTimeout(-absl::InfiniteDuration()), 0);
}

TEST(PollTimeoutTest, IsRoundedUp) {
  // Much time may pass until the clock is read again, but then no more than that is missing.
  const absl::Duration deadline = SteadyNow() + absl::Hours(1) + absl::Microseconds(1);
  const int timeout = PollTimeout(deadline);
  EXPECT_LE(timeout, 3'600'001);
  EXPECT_GE(absl::Milliseconds(timeout), deadline - SteadyNow());
}

TEST(PollTimeoutTest, IsLimitedToWhatPollTakes) {
  EXPECT_EQ(PollTimeout(SteadyNow() + absl::Hours(24 * 365)), std::numeric_limits<int>::max());
}

}  // namespace
}  // namespace firstcall
