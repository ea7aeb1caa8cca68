#include "benchmarks/report.h"

#include <string>
#include <vector>

#include "benchmarks/contestant.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Result> SomeResults() {
  std::vector<Result> results(4);
  for (Result& result : results) result.workload = "sq";
  results[0].contestant = std::string(kFirstcall);
  results[0].samples = {{10, 11, 20, "", ""}, {12, 11, 20, "", ""}};
  results[1].contestant = "rival";
  results[1].samples = {{22, 30, 40, "", ""}};
  results[2].contestant = "broken";
  results[2].samples = {{5, 5, 5, "crash (Aborted)", ""}};
  results[3].contestant = "absent";
  results[3].skipped = "skipped: far too slow";
  return results;
}

TEST(ReportTest, RowHasMediansCountAndMultipleOfFirstcall) {
  const std::string text = FormatWorkload(SomeResults());
  EXPECT_THAT(text, ContainsRegex("firstcall +11.0 +11.0 +20.0 +1.00  n=2\n"));
  EXPECT_THAT(text, ContainsRegex("rival +22.0 +30.0 +40.0 +2.00  n=1\n"));
}

TEST(ReportTest, FaultIsMarkedAndHasNoRatio) {
  const std::string text = FormatWorkload(SomeResults());
  EXPECT_THAT(text, ContainsRegex("broken +5.0 +5.0 +5.0 +n=1 +CRASH \\(ABORTED\\)\n"));
  EXPECT_THAT(text, ContainsRegex("absent +skipped: far too slow\n"));
}

TEST(ReportTest, NothingIsComparedWithAFaultyFirstcall) {
  std::vector<Result> results = SomeResults();
  results[0].samples[1].fault = "wrong output";
  const std::string text = FormatWorkload(results);
  EXPECT_THAT(text, HasSubstr("WRONG OUTPUT IN 1 OF 2 RUNS"));
  EXPECT_THAT(text, Not(HasSubstr("2.00")));
}

TEST(ReportTest, BarLineHasVerdictFigureAndNumbers) {
  const std::string text = FormatBars({{"claim", 3.456, Bar::Verdict::kMet, "1 : 3"},
                                       {"other", 0, Bar::Verdict::kUnknown, "was not run"}});
  EXPECT_THAT(text, ContainsRegex("met +3.46  claim \\(1 : 3\\)\n"));
  EXPECT_THAT(text, ContainsRegex("unknown +-  other \\(was not run\\)\n"));
}

TEST(ReportTest, JsonHasEverySampleAndEscapesText) {
  std::vector<Result> results = SomeResults();
  results[0].command = {"firstcall", "-e", "print(\"a\\b\")\n"};
  const std::string json = FormatJson({}, results, {});
  EXPECT_THAT(json, HasSubstr(R"("wall_ms": 10.000)"));
  EXPECT_THAT(json, HasSubstr(R"("wall_ms": 12.000)"));
  EXPECT_THAT(json, HasSubstr(R"json("print(\"a\\b\")\u000a")json"));
  EXPECT_THAT(json, HasSubstr(R"json("fault": "crash (Aborted)")json"));
  EXPECT_THAT(json, HasSubstr(R"("skipped": "skipped: far too slow")"));
}

}  // namespace
}  // namespace firstcall::benchmarks
