#include "base/end_watch.h"

#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "absl/base/config.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/own_thread.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 256 << 10;

// How a process ends whose first thread calls `end`, as waitpid says. A thread of the library would
// go on for a minute.
int RunProcess(bool needs_watch_before, void (*end)()) {
  const pid_t child = fork();
  if (child == 0) {
    if (needs_watch_before) EndWatch::Need();
    const auto thread =
        OwnThread::Start(kStackBytes, [] { absl::SleepFor(absl::Minutes(1)); }).value();
    thread->Detach();
    if (!needs_watch_before) EndWatch::Need();
    end();
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class EndWatchTest : public testing::Test {
 protected:
  void SetUp() override {
#if defined(ABSL_HAVE_THREAD_SANITIZER) || defined(ABSL_HAVE_ADDRESS_SANITIZER)
    GTEST_SKIP() << "sanitizers have threads of their own";
#endif
  }
};

TEST_F(EndWatchTest, TheProcessEndsWithTheProgramsOnlyThread) {
  for (const bool needs_watch_before : {true, false}) {
    const int status = RunProcess(needs_watch_before, [] { syscall(SYS_exit, 7); });
    EXPECT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
}

TEST_F(EndWatchTest, TheProcessEndsByTheSignalThatHasEndedTheThread) {
  const int status = RunProcess(true, [] {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_getpid);
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(EndWatchTest, TheProcessGoesOnWhileThereIsAThreadOfTheProgram) {
  const int status = RunProcess(true, [] {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          absl::SleepFor(absl::Seconds(2));
          _exit(9);
        },
        nullptr);
    syscall(SYS_exit, 7);
  });
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 9);
}

}  // namespace
}  // namespace firstcall
