// A hot function is optimized once that pays. Also the test of the books that an engine keeps.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "gtest/gtest.h"
#include "seam/promotion_stats.h"
#include "tests/api/promotion.h"
#include "tests/testing/ir.h"

namespace firstcall {
namespace {

constexpr char kFunction[] = R"(
  define i64 @f(i64 %x) {
    %y = mul i64 %x, 7
    %z = xor i64 %y, 3
    ret i64 %z
  }
)";

// Some hundred microseconds, which is less than it takes to load LLVM, on any machine.
constexpr int kCallsOfHotFunction = 102'000;

class PromotionGainsTest : public ::testing::Test {
 protected:
  void Create(uint32_t threshold) {
    EngineOptions options;
    options.promotion.threshold = threshold;
    engine_ = Engine::Create(std::move(options)).value();
    ASSERT_TRUE(engine_->AddBitcode(ParseToBitcode(kFunction), "program").ok());
    function_ = engine_->Lookup<int64_t(int64_t)>("f").value();
  }
  void Call(int times) {
    for (int i = 0; i < times; ++i) sum_ += function_(i);
  }
  PromotionTotals Totals() const { return engine_->stats().promotions.totals; }

  std::unique_ptr<Engine> engine_;
  int64_t (*function_)(int64_t) = nullptr;
  int64_t sum_ = 0;
};

TEST_F(PromotionGainsTest, AHotFunctionThatHasEndedIsPutOff) {
  Create(PromotionOptions::kUsualThreshold);
  Call(kCallsOfHotFunction);
  EXPECT_TRUE(DoUntil([&] { return Totals().put_off == 1; },
                      [] { absl::SleepFor(absl::Milliseconds(5)); }));
  absl::SleepFor(absl::Milliseconds(150));  // The thread looks again, and has idle time.
  EXPECT_EQ(Totals().put_off, 1u);
  EXPECT_EQ(Totals().optimizations, 0u);
  EXPECT_EQ(HotnessOf(*engine_, "f").tier, 0);
}

TEST_F(PromotionGainsTest, AHotFunctionThatGoesOnIsOptimized) {
  Create(PromotionOptions::kUsualThreshold);
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, "f").tier == 1; },
                      [&] { Call(kCallsOfHotFunction); }));
  const FunctionHotness hotness = HotnessOf(*engine_, "f");
  ASSERT_EQ(hotness.steps.size(), 1u);
  EXPECT_GT(hotness.steps[0].time, absl::ZeroDuration());
  EXPECT_GT(hotness.steps[0].predicted_cost, absl::ZeroDuration());
  EXPECT_GT(hotness.steps[0].predicted_gain, absl::ZeroDuration());
  const PromotionTotals totals = Totals();
  EXPECT_TRUE(totals.weighs_gains);
  EXPECT_GT(totals.processors, 0);
  EXPECT_EQ(totals.optimizations, 1u);
  EXPECT_GE(totals.time, hotness.steps[0].time);
  EXPECT_EQ(totals.predicted_cost, hotness.steps[0].predicted_cost);
  EXPECT_EQ(totals.predicted_gain, hotness.steps[0].predicted_gain);
  EXPECT_EQ(totals.put_off, 0u);
}

TEST_F(PromotionGainsTest, WithASmallThresholdGainsAreNotWeighed) {
  Create(/*threshold=*/1000);
  Call(2000);
  EXPECT_TRUE(DoUntil([&] { return HotnessOf(*engine_, "f").tier == 1; },
                      [] { absl::SleepFor(absl::Milliseconds(5)); }));
  EXPECT_FALSE(Totals().weighs_gains);
}

}  // namespace
}  // namespace firstcall
