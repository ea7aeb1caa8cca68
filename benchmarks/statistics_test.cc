#include "benchmarks/statistics.h"

#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

TEST(StatisticsTest, MedianOfOddCountIsTheMiddleValueWhateverTheOrder) {
  EXPECT_DOUBLE_EQ(Median({7}), 7);
  EXPECT_DOUBLE_EQ(Median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(Median({2, 2, 1, 8, 3}), 2);
}

TEST(StatisticsTest, MedianOfEvenCountIsTheMeanOfTheTwoInTheMiddle) {
  EXPECT_DOUBLE_EQ(Median({4, 1}), 2.5);
  EXPECT_DOUBLE_EQ(Median({100, 1, 3, 5}), 4);
}

TEST(StatisticsTest, MedianIgnoresOneDisturbedRun) {
  EXPECT_DOUBLE_EQ(Median({1.0, 1.1, 60.0}), 1.1);
}

TEST(StatisticsTest, MedianRatioSaysHowManyTimesTheBaseline) {
  EXPECT_DOUBLE_EQ(MedianRatio({6, 5, 70}, {2}), 3);
  EXPECT_DOUBLE_EQ(MedianRatio({1}, {3, 5}), 0.25);
}

TEST(StatisticsTest, CostPerPartLeavesOutFixedCosts) {
  // 20 fixed and 3 for each part.
  EXPECT_DOUBLE_EQ(CostPerPart(20 + 3 * 100, 100, 20 + 3), 3);
  // A disturbed measurement can make the result negative; it is shown as it is.
  EXPECT_DOUBLE_EQ(CostPerPart(10, 2, 12), -2);
}

}  // namespace
}  // namespace firstcall::benchmarks
