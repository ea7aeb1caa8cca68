#include "runtime/promotion/startup_phase.h"

#include <optional>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr absl::Duration kElapsed = absl::Milliseconds(10);

TEST(StartupPhaseTest, EndsWhenNoFirstBodyIsMade) {
  const absl::Duration start = SteadyNow();
  StartupPhase phase(start);
  EXPECT_TRUE(phase.is_on());
  EXPECT_EQ(phase.Update(start + kElapsed, kElapsed), absl::ZeroDuration());
  EXPECT_FALSE(phase.is_on());
}

TEST(StartupPhaseTest, GoesOnWhileAFirstBodyIsMade) {
  const absl::Duration start = SteadyNow();
  StartupPhase phase(start);
  std::optional<StartupPhase::FirstBody> body(std::in_place, &phase);
  phase.Update(start + kElapsed, kElapsed);
  EXPECT_TRUE(phase.is_on());
  phase.Update(start + StartupPhase::kLongest, kElapsed);
  EXPECT_FALSE(phase.is_on());
}

TEST(StartupPhaseTest, GoesOnIfFirstBodiesTookMostOfTheTime) {
  const absl::Duration start = SteadyNow();
  StartupPhase phase(start);
  {
    StartupPhase::FirstBody body(&phase);
    absl::SleepFor(absl::Milliseconds(2));
  }
  EXPECT_GE(phase.Update(start + kElapsed, absl::Milliseconds(3)), absl::Milliseconds(2));
  EXPECT_TRUE(phase.is_on());
  EXPECT_EQ(phase.Update(start + kElapsed, kElapsed), absl::ZeroDuration());
  EXPECT_FALSE(phase.is_on());
}

TEST(StartupPhaseTest, AFirstBodyNeedsNoPhase) { StartupPhase::FirstBody body(nullptr); }

}  // namespace
}  // namespace firstcall
