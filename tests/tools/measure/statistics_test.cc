#include "tools/measure/statistics.h"

#include <cmath>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace firstcall::measure {
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

// The coverages are those of tables of the binomial distribution, such as David and Nagaraja's.
TEST(StatisticsTest, IntervalIsTheNarrowestThatIsConfidentEnough) {
  const std::optional<Interval> six = MedianInterval({6, 1, 5, 2, 4, 3});
  ASSERT_TRUE(six.has_value());
  EXPECT_DOUBLE_EQ(six->low, 1);
  EXPECT_DOUBLE_EQ(six->high, 6);
  EXPECT_DOUBLE_EQ(six->confidence, 1 - 2.0 / 64);
  const std::optional<Interval> eleven = MedianInterval({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  ASSERT_TRUE(eleven.has_value());
  EXPECT_DOUBLE_EQ(eleven->low, 2);
  EXPECT_DOUBLE_EQ(eleven->high, 10);
  EXPECT_NEAR(eleven->confidence, 0.98828, 1e-5);
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  const std::optional<Interval> hundred = MedianInterval(values);
  ASSERT_TRUE(hundred.has_value());
  EXPECT_DOUBLE_EQ(hundred->low, 40);
  EXPECT_DOUBLE_EQ(hundred->high, 61);
  EXPECT_NEAR(hundred->confidence, 0.9648, 1e-4);
}

// So many that the probability of a single count is no `double`. For large numbers the distribution
// is normal: the interval leaves out about 0.98 times the root of the number on each side.
TEST(StatisticsTest, ManyValuesHaveAnInterval) {
  for (const int count : {1000, 2000, 40000}) {
    std::vector<double> values;
    for (int i = 1; i <= count; ++i) values.push_back(i);
    const std::optional<Interval> interval = MedianInterval(values);
    ASSERT_TRUE(interval.has_value());
    const double half = 0.98 * std::sqrt(count);
    EXPECT_NEAR(interval->low, count / 2 - half, 2) << count;
    EXPECT_NEAR(interval->high, count / 2 + half, 2) << count;
    EXPECT_GE(interval->confidence, 0.95);
    EXPECT_LT(interval->confidence, 0.96);
  }
}

TEST(StatisticsTest, TooFewValuesHaveNoInterval) {
  EXPECT_FALSE(MedianInterval({1, 2, 3, 4, 5}).has_value());
  EXPECT_FALSE(MedianInterval({}).has_value());
  EXPECT_FALSE(MedianInterval({1, 2, 3, 4, 5, 6, 7}, 0.99).has_value());
  EXPECT_TRUE(MedianInterval({1, 2, 3, 4, 5, 6, 7, 8}, 0.99).has_value());
}

TEST(StatisticsTest, IntervalContainsTheMedianOfItsValues) {
  const std::vector<double> values = {9, 9, 1, 1, 1, 1, 50, 2};
  const std::optional<Interval> interval = MedianInterval(values);
  ASSERT_TRUE(interval.has_value());
  EXPECT_LE(interval->low, Median(values));
  EXPECT_GE(interval->high, Median(values));
}

}  // namespace
}  // namespace firstcall::measure
