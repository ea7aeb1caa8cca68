#include "benchmarks/process_run.h"

#include <signal.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firstcall::benchmarks {
namespace {

using ::testing::HasSubstr;

constexpr absl::Duration kGenerous = absl::Seconds(60);

// Runs `argv`, which must start.
ProcessRun MustRun(const std::vector<std::string>& argv, absl::Duration limit = kGenerous) {
  absl::StatusOr<ProcessRun> run = RunProcess(argv, limit);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.value_or(ProcessRun());
}

ProcessRun RunShell(const std::string& script, absl::Duration limit = kGenerous) {
  return MustRun({"sh", "-c", script}, limit);
}

TEST(ProcessRunTest, SuccessIsExitStatusZero) {
  const ProcessRun run = MustRun({"true"});
  EXPECT_EQ(run.end, ProcessRun::End::kExited);
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.output, "");
  EXPECT_GT(run.wall, absl::ZeroDuration());
  EXPECT_GT(run.peak_rss_kib, 0);
}

TEST(ProcessRunTest, FailureIsAResultWithItsExitStatus) {
  EXPECT_EQ(MustRun({"false"}).code, 1);
  const ProcessRun run = RunShell("exit 42");
  EXPECT_EQ(run.end, ProcessRun::End::kExited);
  EXPECT_EQ(run.code, 42);
}

TEST(ProcessRunTest, KilledProcessReportsItsSignal) {
  const ProcessRun run = RunShell("kill -SEGV $$");
  EXPECT_EQ(run.end, ProcessRun::End::kSignaled);
  EXPECT_EQ(run.code, SIGSEGV);
}

TEST(ProcessRunTest, TimeLimitEndsProcessAndWhatItStarted) {
  const absl::Time start = absl::Now();
  const ProcessRun run = RunShell("sleep 600 & echo $!; wait", absl::Milliseconds(300));
  EXPECT_EQ(run.end, ProcessRun::End::kTimedOut);
  EXPECT_GE(run.wall, absl::Milliseconds(300));
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));

  // The sleeping grandchild got the signal, too. Until init has reaped it, it is a zombie (Z).
  const std::string grandchild = run.output.substr(0, run.output.find('\n'));
  const ProcessRun probe = RunShell(
      "for i in 1 2 3 4 5 6 7 8 9 10; do"
      "  grep -q '^State:.[^ZX]' /proc/" +
      grandchild +
      "/status 2>/dev/null || exit 0; sleep 0.1;"
      "done; exit 1");
  EXPECT_EQ(probe.code, 0) << "process " << grandchild << " still runs";
}

TEST(ProcessRunTest, ProgramThatDoesNotExistIsAnError) {
  if (getenv("FIRSTCALL_EMULATE") != nullptr) {
    GTEST_SKIP() << "the emulator makes a fork of posix_spawn's vfork, and its error is lost";
  }
  const absl::Status status = RunProcess({"no-such-program"}, kGenerous).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("start no-such-program: No such file"));
}

TEST(ProcessRunTest, OutputIsStandardOutputOnlyInFull) {
  EXPECT_EQ(RunShell("echo out; echo err >&2").output, "out\n");
  // More than fits into a pipe.
  EXPECT_EQ(MustRun({"head", "-c", "1000000", "/dev/zero"}).output, std::string(1000000, '\0'));
}

TEST(ProcessRunTest, StandardInputIsEmpty) { EXPECT_EQ(MustRun({"cat"}).output, ""); }

TEST(ProcessRunTest, WallTimeCountsSleepAndCpuTimeDoesNot) {
  const ProcessRun run = MustRun({"sleep", "0.5"});
  EXPECT_GE(run.wall, absl::Milliseconds(500));
  EXPECT_LT(run.cpu, absl::Milliseconds(400));
}

TEST(ProcessRunTest, CpuTimeCountsWork) {
  const ProcessRun run = RunShell("i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done");
  EXPECT_GT(run.cpu, absl::Milliseconds(1));
}

// dd writes to its whole buffer, so the buffer is resident.
TEST(ProcessRunTest, PeakMemoryCountsWhatWasTouched) {
  const ProcessRun run = MustRun({"dd", "if=/dev/zero", "of=/dev/null", "bs=64M", "count=1"});
  EXPECT_GT(run.peak_rss_kib, 64 * 1024);
}

}  // namespace
}  // namespace firstcall::benchmarks
