#include "runtime/promotion/promotion_request.h"

#include <cstdint>

#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "seam/hotness_counter.h"

namespace firstcall {
namespace {

constexpr uint32_t kLoop = 5;

TEST(PromotionRequestTest, IsForOneThingAtATime) {
  PromotionRequest request;
  EXPECT_FALSE(request.is_open());
  EXPECT_TRUE(request.Ask(kLoop));
  EXPECT_FALSE(request.Ask(kNoLoop));
  EXPECT_TRUE(request.is_open());
  EXPECT_EQ(request.wanted(), kLoop);
  request.Withdraw();
  EXPECT_FALSE(request.is_open());
  EXPECT_TRUE(request.Ask(kNoLoop));
}

TEST(PromotionRequestTest, KnowsWhenItWasMade) {
  PromotionRequest request;
  const absl::Duration before = SteadyNow();
  ASSERT_TRUE(request.Ask(kNoLoop));
  const absl::Duration asked = request.asked_at();
  EXPECT_GE(asked, before);
  EXPECT_FALSE(request.Ask(kLoop));
  EXPECT_EQ(request.asked_at(), asked);
}

}  // namespace
}  // namespace firstcall
