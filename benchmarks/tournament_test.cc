#include "benchmarks/tournament.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A workload whose "bitcode" is a string, which the contestants' commands get as an argument.
Workload EchoWorkload() {
  Workload workload;
  workload.name = "echo";
  workload.bitcode = "hi";
  workload.native = "/bin/echo";
  workload.arguments = {};
  return workload;
}

// A contestant that runs a shell script; the reference prints an empty line.
Contestant Shell(const std::string& name, const std::string& script) {
  return {name, {"sh", "-c", script}};
}

std::vector<Result> MustCompete(const std::vector<Contestant>& contestants,
                                const Schedule& schedule) {
  absl::StatusOr<std::vector<Result>> results =
      Compete(EchoWorkload(), contestants, schedule, /*earlier=*/{});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.value_or(std::vector<Result>());
}

Schedule ShortSchedule() {
  Schedule schedule;
  schedule.rounds = 2;
  schedule.brief_factor = 1;
  schedule.time_limit = absl::Seconds(2);
  return schedule;
}

TEST(TournamentTest, JudgesEveryRunAgainstTheReference) {
  const std::vector<Result> results = MustCompete(
      {Shell("right", "echo"), Shell("wrong", "echo no"), Shell("failing", "echo; exit 3"),
       Shell("crashing", "kill -SEGV $$"), Contestant{"native", {}}},
      ShortSchedule());
  ASSERT_THAT(results, SizeIs(5));
  EXPECT_EQ(results[0].Fault(), "");
  EXPECT_EQ(results[1].Fault(), "wrong output");
  EXPECT_EQ(results[2].Fault(), "exit status 3");
  EXPECT_EQ(results[3].Fault(), "crash (Segmentation fault)");
  EXPECT_EQ(results[4].Fault(), "");
  for (const Result& result : results) EXPECT_THAT(result.samples, SizeIs(2));
}

TEST(TournamentTest, EveryRunHasTheInputOfTheWorkload) {
  Workload workload = EchoWorkload();
  workload.native = "/bin/cat";
  workload.input = testing::TempDir() + "/input";
  std::ofstream(workload.input) << "some text\n";
  const absl::StatusOr<std::vector<Result>> results =
      Compete(workload, {Shell("reads", "cat"), Shell("does not", "echo")}, ShortSchedule(),
              /*earlier=*/{});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].Fault(), "");
  EXPECT_EQ((*results)[1].Fault(), "wrong output");
}

TEST(TournamentTest, WhoTimesOutGetsNoSecondRun) {
  const std::vector<Result> results =
      MustCompete({Shell("slow", "exec sleep 60"), Shell("quick", "echo")}, ShortSchedule());
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_THAT(results[0].samples, SizeIs(1));
  EXPECT_THAT(results[0].Fault(), HasSubstr("timed out"));
  EXPECT_THAT(results[1].samples, SizeIs(2));
}

TEST(TournamentTest, WhoWasTooSlowForASmallerWorkloadIsSkippedWithTheReason) {
  Result smaller;
  smaller.workload = "smaller";
  smaller.contestant = "slow";
  smaller.samples.resize(1);
  smaller.samples[0].wall_ms = 1500;
  Workload workload = EchoWorkload();
  workload.larger_than = "smaller";
  workload.times = 2;
  const absl::StatusOr<std::vector<Result>> results =
      Compete(workload, {Shell("slow", "echo"), Shell("new", "echo")}, ShortSchedule(), {smaller});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT((*results)[0].samples, IsEmpty());
  EXPECT_THAT((*results)[0].skipped, HasSubstr("1.5 s for smaller"));
  EXPECT_TRUE((*results)[1].Measured());
}

TEST(TournamentTest, ReferenceThatFailsIsAnError) {
  Workload workload = EchoWorkload();
  workload.native = "/bin/false";
  const absl::Status status =
      Compete(workload, {Shell("right", "echo")}, ShortSchedule(), {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("run reference of echo"), HasSubstr("exit status 1")));
}

}  // namespace
}  // namespace firstcall::benchmarks
