#include "cache/job_thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 128 << 10;

TEST(JobThreadTest, ReturnsTheStatusOfEachJob) {
  JobThread thread(kStackBytes);
  EXPECT_EQ(absl::OkStatus(), thread.Run([] { return absl::OkStatus(); }, absl::Seconds(20)));
  EXPECT_THAT(thread.Run([] { return absl::DataLossError("bad"); }, absl::Seconds(20)),
              StatusIs(absl::StatusCode::kDataLoss, "bad"));
  EXPECT_EQ(absl::OkStatus(), thread.Run([] { return absl::OkStatus(); }, absl::Seconds(20)));
}

TEST(JobThreadTest, RunsJobsOfSeveralCallersOnOneThread) {
  JobThread thread(kStackBytes);
  std::atomic<int> running{0};
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      EXPECT_EQ(absl::OkStatus(), thread.Run(
                                      [&] {
                                        EXPECT_EQ(++running, 1);
                                        --running;
                                        ++done;
                                        return absl::OkStatus();
                                      },
                                      absl::Seconds(20)));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 8);
}

TEST(JobThreadTest, JobThatTakesTooLongEndsLaterAndIsTheLastOne) {
  JobThread thread(kStackBytes);
  auto release = std::make_shared<absl::Notification>();
  auto done = std::make_shared<absl::Notification>();
  EXPECT_THAT(thread.Run(
                  [release, done] {
                    release->WaitForNotification();
                    done->Notify();
                    return absl::OkStatus();
                  },
                  absl::Milliseconds(20)),
              StatusIs(absl::StatusCode::kDeadlineExceeded, "no answer in time"));
  EXPECT_THAT(thread.Run([] { return absl::OkStatus(); }, absl::Seconds(20)),
              StatusIs(absl::StatusCode::kUnavailable, "the connection was given up"));
  release->Notify();
  done->WaitForNotification();
}

TEST(JobThreadTest, DoesNotExistInAForkedChild) {
  JobThread thread(kStackBytes);
  EXPECT_EQ(absl::OkStatus(), thread.Run([] { return absl::OkStatus(); }, absl::Seconds(20)));
  EXPECT_FALSE(thread.is_forked());
  const pid_t child = fork();
  if (child == 0) {
    const absl::Status status = thread.Run([] { return absl::OkStatus(); }, absl::Seconds(20));
    _exit(thread.is_forked() && status.message() == "the process was forked" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace firstcall
