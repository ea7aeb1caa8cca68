#include "tools/measure/rounds.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ProcessRun Printed(const std::string& output, int code = 0) {
  ProcessRun run;
  run.output = output;
  run.code = code;
  run.wall = absl::Milliseconds(1);
  return run;
}

ProcessRun Crashed() {
  ProcessRun run;
  run.end = ProcessRun::End::kSignaled;
  run.code = 11;
  run.wall = absl::Milliseconds(1);
  return run;
}

std::vector<Result> Contestants(size_t count) {
  std::vector<Result> results(count);
  for (size_t i = 0; i < count; ++i) results[i].contestant = std::string(1, char('a' + i));
  return results;
}

Sample MadeSample(double wall_ms, const std::string& fault) {
  Sample sample;
  sample.wall_ms = wall_ms;
  sample.fault = fault;
  return sample;
}

Schedule Rounds3() {
  Schedule schedule;
  schedule.rounds = 3;
  schedule.brief_factor = 1;
  return schedule;
}

TEST(RoundsTest, FaultSaysHowManyRunsUnlessAll) {
  Result result;
  result.samples = {MadeSample(1, ""), MadeSample(1, "wrong output"), MadeSample(1, "")};
  EXPECT_EQ(result.Fault(), "wrong output in 1 of 3 runs");
  result.samples = {MadeSample(1, "wrong output")};
  EXPECT_EQ(result.Fault(), "wrong output");
}

TEST(RoundsTest, FiguresAreThoseOfCorrectRuns) {
  Result result;
  result.samples = {MadeSample(1, ""), MadeSample(9, "wrong output"), MadeSample(3, "")};
  EXPECT_THAT(result.Figures(&Sample::wall_ms), ElementsAre(1, 3));
  result.samples = {MadeSample(9, "wrong output")};
  EXPECT_THAT(result.Figures(&Sample::wall_ms), ElementsAre(9));
}

TEST(RoundsTest, SlowContestantsGetFewerRunsAndBriefOnesMore) {
  Schedule schedule;
  schedule.rounds = 5;
  schedule.allowance = absl::Seconds(4);
  schedule.brief = absl::Milliseconds(60);
  schedule.brief_factor = 3;
  EXPECT_EQ(RunsFor(absl::Seconds(30), schedule), 1);
  EXPECT_EQ(RunsFor(absl::Milliseconds(1300), schedule), 3);
  EXPECT_EQ(RunsFor(absl::Milliseconds(500), schedule), 5);
  EXPECT_EQ(RunsFor(absl::Milliseconds(20), schedule), 15);
  EXPECT_EQ(RunsFor(absl::Milliseconds(20), schedule, /*weight=*/2), 30);
  EXPECT_EQ(RunsFor(absl::Milliseconds(500), schedule, /*weight=*/2), 5);
}

TEST(RoundsTest, EachRoundStartsWithAnotherContestantAndSkippedOnesDoNotRun) {
  std::vector<Result> results = Contestants(3);
  results[1].skipped = "not installed";
  std::string order;
  Rounds rounds(
      Rounds3(),
      [&](size_t i) {
        order += results[i].contestant;
        return Printed("");
      },
      &results);
  while (!rounds.Over()) ASSERT_TRUE(rounds.RunOne().ok());
  EXPECT_EQ(order, "accaca");
  EXPECT_THAT(results[0].samples, SizeIs(3));
  EXPECT_FALSE(results[1].Measured());
}

TEST(RoundsTest, FirstRunThatExitsIsTheReference) {
  std::vector<Result> results = Contestants(4);
  const ProcessRun runs[] = {Crashed(), Printed("x", 3), Printed("x", 3), Printed("y", 3)};
  Rounds rounds(
      Rounds3(), [&](size_t i) { return runs[i]; }, &results);
  while (!rounds.Over()) ASSERT_TRUE(rounds.RunOne().ok());
  EXPECT_EQ(results[0].Fault(), "crash (Segmentation fault)");
  EXPECT_EQ(results[1].Fault(), "");
  EXPECT_EQ(results[2].Fault(), "");
  EXPECT_EQ(results[3].Fault(), "wrong output");
  ASSERT_TRUE(rounds.reference().has_value());
  EXPECT_EQ(rounds.reference()->code, 3);
}

TEST(RoundsTest, WhoTimesOutGetsNoSecondRun) {
  std::vector<Result> results = Contestants(2);
  Rounds rounds(
      Rounds3(),
      [&](size_t i) {
        ProcessRun run = Printed("");
        if (i == 0) run.end = ProcessRun::End::kTimedOut;
        return run;
      },
      &results);
  while (!rounds.Over()) ASSERT_TRUE(rounds.RunOne().ok());
  EXPECT_THAT(results[0].samples, SizeIs(1));
  EXPECT_THAT(results[0].Fault(), HasSubstr("timed out"));
  EXPECT_THAT(results[1].samples, SizeIs(3));
}

TEST(RoundsTest, ErrorOfARunEndsTheRound) {
  std::vector<Result> results = Contestants(2);
  Rounds rounds(
      Rounds3(),
      [](size_t) -> absl::StatusOr<ProcessRun> { return absl::NotFoundError("start nothing"); },
      &results);
  EXPECT_EQ(rounds.RunOne().message(), "start nothing");
}

}  // namespace
}  // namespace firstcall::measure
