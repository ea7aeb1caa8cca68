#include "runtime/promotion/promotion_books.h"

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "memory/executor_address.h"

namespace firstcall {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(50);

class PromotionBooksTest : public testing::Test {
 protected:
  // A first body of `code_bytes` that has taken `time`.
  class Body : public FirstBody {
   public:
    explicit Body(size_t code_bytes, absl::Duration time = absl::ZeroDuration()) : FirstBody(99) {
      BeginCounting(ExecutorAddress(), code_bytes, absl::ZeroDuration());
      NoteTime(time);
    }
  };

  // From now on there is a processor to spare, or there is none.
  void SetSpare(bool is_spare) {
    books_.SetProcessors(is_spare ? 2 : 1);
    for (int i = 0; i < 100; ++i) books_.NoteProgram(kLook, kLook, 0);
  }
  // Notes an optimization that has taken `times` what its function's size predicts.
  void NoteOptimization(const FirstBody& body, double times) {
    PromotionBooks by_size(/*weighs_gains=*/true);
    by_size.NoteOtherWork(absl::Nanoseconds(1));
    books_.NoteOptimization(body, books_.Predict(body), times * by_size.CostOf(body));
  }

  PromotionBooks books_{/*weighs_gains=*/true};
};

TEST_F(PromotionBooksTest, TheTimeOfWorkIsItsShareOfTheProgramsTime) {
  books_.NoteProgram(kLook, absl::Milliseconds(40), /*work=*/400'000'000);
  EXPECT_EQ(books_.TimeOf(100'000'000), absl::Milliseconds(10));
  EXPECT_EQ(books_.TimeOf(0), absl::ZeroDuration());
}

TEST_F(PromotionBooksTest, TheTimeThatGoesElsewhereIsNotThatOfLittleWork) {
  books_.NoteProgram(kLook, absl::Milliseconds(40), /*work=*/10'000);
  EXPECT_LE(books_.TimeOf(10'000), absl::Microseconds(5));
}

// When the hottest functions are optimized, what is left does not take all of the time.
TEST_F(PromotionBooksTest, WhatAByteTakesIsMeasuredBeforeAnythingIsOptimized) {
  for (int i = 0; i < 10; ++i) {
    books_.NoteProgram(kLook, absl::Milliseconds(40), /*work=*/400'000'000);
  }
  NoteOptimization(Body(100), 1);
  books_.NoteProgram(kLook, absl::Milliseconds(40), /*work=*/1'000'000);
  EXPECT_LE(books_.TimeOf(1'000'000), absl::Microseconds(120));
}

TEST_F(PromotionBooksTest, WithOneProcessorTheGainMustBeWorthTheCost) {
  SetSpare(false);
  NoteOptimization(Body(100), 1);
  const absl::Duration cost = books_.CostOf(Body(1000));
  EXPECT_FALSE(books_.Pays(Body(1000, cost)));
  EXPECT_TRUE(books_.Pays(Body(1000, 3 * cost)));
  EXPECT_FALSE(books_.Pays(Body(10'000, 3 * cost))) << "a larger function costs more";
}

TEST_F(PromotionBooksTest, WithAProcessorToSpareAllPayAfterTheFirst) {
  const Body body(1000, absl::Milliseconds(8));
  SetSpare(true);
  EXPECT_FALSE(books_.Pays(body));
  EXPECT_TRUE(books_.Pays(Body(1000, absl::Milliseconds(30))));
  NoteOptimization(Body(100), 1);
  EXPECT_TRUE(books_.Pays(body));
  SetSpare(false);
  EXPECT_FALSE(books_.Pays(body));
}

TEST_F(PromotionBooksTest, AProgramThatUsesAllProcessorsHasNoneToSpare) {
  NoteOptimization(Body(100), 1);
  books_.SetProcessors(2);
  for (int i = 0; i < 100; ++i) books_.NoteProgram(kLook, 2 * kLook, 0);
  EXPECT_FALSE(books_.Pays(Body(1000, absl::Milliseconds(5))));
}

TEST_F(PromotionBooksTest, TheFirstOptimizationCostsMore) {
  const absl::Duration first = books_.CostOf(Body(100));
  NoteOptimization(Body(100), 1);
  EXPECT_LT(books_.CostOf(Body(100)), first);
}

TEST_F(PromotionBooksTest, WhatWasMeasuredCorrectsWhatIsPredicted) {
  NoteOptimization(Body(100), 1);
  const absl::Duration before = books_.CostOf(Body(1000));
  for (int i = 0; i < 100; ++i) NoteOptimization(Body(1000), 2);
  EXPECT_GT(books_.CostOf(Body(1000)), 1.8 * before);
  EXPECT_LT(books_.CostOf(Body(1000)), 2.0 * before);
}

TEST_F(PromotionBooksTest, ALoopIsActiveForLongOnceItPays) {
  NoteOptimization(Body(100), 1);
  SetSpare(true);
  EXPECT_EQ(books_.LongestActivity(Body(100)), absl::Milliseconds(100));
  EXPECT_EQ(books_.LongestActivity(Body(50'000)), absl::Milliseconds(100));
  SetSpare(false);
  EXPECT_LE(books_.LongestActivity(Body(100)), absl::Milliseconds(25));
  EXPECT_GT(books_.LongestActivity(Body(50'000)), absl::Milliseconds(1000));
  Body body(50'000);
  body.NoteActivity(books_.LongestActivity(body));
  EXPECT_TRUE(books_.Pays(body));
}

TEST_F(PromotionBooksTest, IfGainsAreNotWeighedAllPays) {
  PromotionBooks books(/*weighs_gains=*/false);
  books.SetProcessors(1);
  EXPECT_TRUE(books.Pays(Body(1'000'000)));
  EXPECT_EQ(books.LongestActivity(Body(1)), absl::Milliseconds(100));
}

TEST_F(PromotionBooksTest, BeginAnewInAChild) {
  NoteOptimization(Body(100), 3);
  books_.SetProcessors(2);
  books_.NoteProgram(kLook, absl::Milliseconds(40), /*work=*/400'000'000);
  books_.BeginAnew();
  EXPECT_EQ(books_.totals().optimizations, 0u);
  EXPECT_EQ(books_.totals().time, absl::ZeroDuration());
  EXPECT_EQ(books_.totals().processors, 2);
  EXPECT_TRUE(books_.totals().weighs_gains);
  EXPECT_FALSE(books_.Pays(Body(1000, absl::Milliseconds(8)))) << "the first must pay";
}

TEST_F(PromotionBooksTest, SaysWhatWasPredictedAndWhatCame) {
  const Body body(1000, absl::Milliseconds(40));
  const PromotionBooks::Prediction predicted = books_.Predict(body);
  books_.NoteOptimization(body, predicted, absl::Milliseconds(7));
  books_.NoteOptimization(body, predicted, absl::Milliseconds(8));
  EXPECT_EQ(books_.totals().optimizations, 2u);
  EXPECT_EQ(books_.totals().predicted_cost, 2 * predicted.cost);
  EXPECT_EQ(books_.totals().predicted_gain, 2 * predicted.gain);
  EXPECT_EQ(books_.totals().time, absl::Milliseconds(15));
}

}  // namespace
}  // namespace firstcall
