#include "seam/promotion_stats.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::vector<std::string>> Cells(const PromotionStats& stats) {
  std::vector<std::vector<std::string>> lines;
  for (absl::string_view line : absl::StrSplit(stats.ToString(), '\n', absl::SkipEmpty())) {
    lines.emplace_back(absl::StrSplit(line, ' ', absl::SkipEmpty()));
  }
  return lines;
}

TEST(PromotionStatsTest, NothingToTell) {
  PromotionStats stats;
  EXPECT_EQ(stats.ToString(), "");
  FunctionHotness counted;
  counted.function = "f";
  counted.polls = 7;
  stats.functions = {counted};
  EXPECT_EQ(stats.ToString(), "");
}

TEST(PromotionStatsTest, TheBooksSayWhatWasPredictedAndWhatCame) {
  PromotionStats stats;
  stats.totals.weighs_gains = true;
  stats.totals.processors = 1.5;
  EXPECT_EQ(stats.ToString(), "");
  stats.totals.put_off = 3;
  stats.totals.optimizations = 2;
  stats.totals.time = absl::Milliseconds(11);
  stats.totals.predicted_cost = absl::Milliseconds(12);
  stats.totals.predicted_gain = absl::Milliseconds(40);
  EXPECT_EQ(stats.ToString(),
            "optimizing took 11.00 ms of processor time (predicted: 12.00 ms) to save 40.00 ms "
            "(predicted); hot functions put off: 3; processors: 1.5\n");
  stats.totals.weighs_gains = false;
  EXPECT_EQ(stats.ToString(), "");
}

TEST(PromotionStatsTest, ALineForEachFunctionWithWhatWasMadeOfIt) {
  FunctionHotness better;
  better.function = "better";
  better.tier = 1;
  better.polls = 300;
  better.polls_promoted = 200;
  better.first_bytes = 11;
  better.first_time = absl::Microseconds(1250);
  better.optimized_bytes = 12;
  better.optimized_time = absl::Milliseconds(3);
  FunctionHotness left;
  left.function = "left";
  left.polls = 100;
  left.continuations = 2;
  left.continuation_bytes = 13;
  left.continuation_time = absl::Milliseconds(4);
  left.loops_entered = 5;
  FunctionHotness failed;
  failed.function = "failed";
  failed.failures = 1;
  failed.last_failure = "INTERNAL: out of ideas";
  PromotionStats stats;
  stats.functions = {better, FunctionHotness(), left, failed};
  const std::vector<std::vector<std::string>> cells = Cells(stats);
  ASSERT_THAT(cells, SizeIs(5));
  EXPECT_EQ(cells[0].front(), "tier");
  EXPECT_EQ(cells[0].back(), "function");
  EXPECT_THAT(cells[1], ElementsAre("1", "200", "11", "1.25", "12", "3.00", "0", "0", "0.00", "0",
                                    "0", "better"));
  EXPECT_THAT(cells[2], ElementsAre("0", "100", "0", "0.00", "0", "0.00", "2", "13", "4.00", "5",
                                    "0", "left"));
  EXPECT_THAT(cells[3], ElementsAre("0", "0", "0", "0.00", "0", "0.00", "0", "0", "0.00", "0", "1",
                                    "failed"));
  EXPECT_THAT(cells[4], ElementsAre("promotion", "failed:", "INTERNAL:", "out", "of", "ideas"));
}

TEST(PromotionStatsTest, ALineForEachStepInTheOrderOfTheirBeginnings) {
  PromotionStep body;
  body.hot = absl::Milliseconds(5);
  body.begun = absl::Milliseconds(20);
  body.ready = absl::Milliseconds(31);
  body.extract = absl::Milliseconds(1);
  body.optimize = absl::Milliseconds(2);
  body.emit = absl::Milliseconds(3);
  body.link = absl::Milliseconds(4);
  body.time = absl::Milliseconds(5);
  body.predicted_cost = absl::Milliseconds(6);
  body.predicted_gain = absl::Milliseconds(7);
  body.code_bytes = 70;
  body.imported = 6;
  body.inlined = {"a", "b", "c"};
  PromotionStep loop;
  loop.is_continuation = true;
  loop.begun = absl::Milliseconds(10);
  loop.is_cached = true;
  PromotionStep failed;
  failed.begun = absl::Milliseconds(40);
  failed.failure = "INTERNAL: out of ideas";
  failed.inlined = {"a", "b", "c", "d", "e", "f", "g", "h"};
  FunctionHotness both;
  both.function = "both";
  both.steps = {loop, body};
  FunctionHotness other;
  other.function = "other";
  other.has_loops_without_polls = true;
  other.steps = {failed};
  PromotionStats stats;
  stats.functions = {other, both};
  const std::vector<std::vector<std::string>> cells = Cells(stats);
  ASSERT_THAT(cells, SizeIs(4));
  EXPECT_EQ(cells[0].back(), "function");
  EXPECT_EQ(
      absl::StrJoin(cells[1], " "),
      "0.00 10.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0 0 0 both (loop) (from the cache)");
  EXPECT_EQ(absl::StrJoin(cells[2], " "),
            "5.00 15.00 31.00 1.00 2.00 3.00 4.00 5.00 6.00 7.00 70 6 0 both; inlined: a, b, c");
  EXPECT_EQ(absl::StrJoin(cells[3], " "),
            "0.00 40.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0 0 0 other (failed) (loops "
            "without polls); "
            "inlined: a, b, c, d, e, f and 2 more");
}

}  // namespace
}  // namespace firstcall
