#include "tools/measure/process_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"

namespace firstcall::measure {
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

TEST(ProcessRunTest, TheCacheIsOffUnlessTheEnvironmentSaysOtherwise) {
  unsetenv("FIRSTCALL_CACHE");
  EXPECT_EQ(RunShell("echo $FIRSTCALL_CACHE").output, "off\n");
  EXPECT_EQ(getenv("FIRSTCALL_CACHE"), nullptr) << "this process's environment has changed";
  setenv("FIRSTCALL_CACHE", "/somewhere", /*replace=*/1);
  EXPECT_EQ(RunShell("echo $FIRSTCALL_CACHE").output, "/somewhere\n");
  unsetenv("FIRSTCALL_CACHE");
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
  const absl::Status status = RunProcess({"no-such-program"}, kGenerous).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("start no-such-program: No such file"));
}

TEST(ProcessRunTest, OutputIsStandardOutputOnlyInFull) {
  EXPECT_EQ(RunShell("echo out; echo err >&2").output, "out\n");
  // More than fits into a pipe.
  EXPECT_EQ(MustRun({"head", "-c", "1000000", "/dev/zero"}).output, std::string(1000000, '\0'));
}

TEST(ProcessRunTest, StandardInputIsEmptyOrAFile) {
  EXPECT_EQ(MustRun({"cat"}).output, "");
  const std::string path = ::testing::TempDir() + "/input";
  std::ofstream(path) << "some text";
  ProcessOptions options;
  options.input = path;
  const absl::StatusOr<ProcessRun> run = RunProcess({"cat"}, kGenerous, options);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->output, "some text");
  options.input = "/no/such/file";
  const absl::Status status = RunProcess({"cat"}, kGenerous, options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("read /no/such/file: No such file"));
}

TEST(ProcessRunTest, BeginningOfStandardErrorIsKept) {
  EXPECT_EQ(RunShell("echo out; echo err >&2").errors, "err\n");
  EXPECT_EQ(RunShell("head -c 1000000 /dev/zero >&2").errors.size(), 4096u);
}

TEST(ProcessRunTest, ReadableDescriptorStopsTheProgram) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "", 1), 1);
  ProcessOptions options;
  options.stop = ends[0];
  const absl::Time start = absl::Now();
  EXPECT_EQ(RunProcess({"sleep", "60"}, kGenerous, options).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
  close(ends[0]);
  close(ends[1]);
}

TEST(ProcessRunTest, SignalsThatThisThreadBlocksAreNotBlockedInTheProgram) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, &before), 0);
  const ProcessRun run = RunShell("kill -TERM $$; echo survived");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(run.end, ProcessRun::End::kSignaled);
  EXPECT_EQ(run.code, SIGTERM);
}

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

// What a measuring process has freed must not count for the programs that it measures.
TEST(ProcessRunTest, PeakMemoryOfThisProcessIsNotThePrograms) {
  if (IsEmulated()) GTEST_SKIP() << "a process of the emulator has the emulator's memory";
  constexpr size_t kSize = 64 << 20;
  void* const memory =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  memset(memory, 1, kSize);
  const absl::StatusOr<int64_t> large = LeastPeakRssKib();
  munmap(memory, kSize);
  const absl::StatusOr<int64_t> small = LeastPeakRssKib();
  ASSERT_TRUE(large.ok()) << large.status();
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_GT(*large, 64 * 1024);
  EXPECT_LT(*small, 64 * 1024);
  EXPECT_LT(MustRun({"true"}).peak_rss_kib, 64 * 1024);
}

}  // namespace
}  // namespace firstcall::measure
