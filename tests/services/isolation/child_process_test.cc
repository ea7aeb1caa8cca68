#include "services/isolation/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "gtest/gtest.h"
#include "tests/testing/host.h"

namespace firstcall {
namespace {

using How = ChildEnd::How;

// Runs `work` in a child, whose exit status is its result.
ChildEnd RunInChild(const std::function<int()>& work, const ChildLimits& limits = {}) {
  const absl::StatusOr<std::optional<ChildEnd>> end = ContinueInChild(limits);
  if (end.ok() && !*end) _exit(work());
  EXPECT_TRUE(end.ok()) << end.status();
  return end.ok() ? **end : ChildEnd{How::kExited, -1};
}

int Die(int signal) {
  ::signal(signal, SIG_DFL);  // Sanitizers have handlers.
  raise(signal);
  return 0;
}

struct Pipe {
  Pipe() {
    int files[2];
    EXPECT_EQ(pipe(files), 0);
    input = files[0];
    output = files[1];
  }
  ~Pipe() {
    close(input);
    if (output >= 0) close(output);
  }
  void CloseOutput() {
    close(output);
    output = -1;
  }
  int input;
  int output;
};

// A process of its own that runs `work`.
pid_t Fork(const std::function<void()>& work) {
  const pid_t process = fork();
  if (process != 0) return process;
  work();
  _exit(0);
}

int ExitStatusOf(pid_t process) {
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ChildProcessTest, TellsTheExitStatus) {
  for (int status : {0, 3, 255}) {
    const ChildEnd end = RunInChild([&] { return status; });
    EXPECT_EQ(end.how, How::kExited);
    EXPECT_EQ(end.code, status);
  }
}

TEST(ChildProcessTest, TellsTheSignal) {
  for (int signal : {SIGSEGV, SIGABRT, SIGKILL, SIGTERM}) {
    const ChildEnd end = RunInChild([&] { return Die(signal); });
    EXPECT_EQ(end.how, How::kSignaled);
    EXPECT_EQ(end.code, signal);
  }
}

// As `unshare --pid` starts it. The child does not see its parent's number.
TEST(ChildProcessTest, TheChildMayBeInANewProcessNamespace) {
  constexpr int kNotAllowed = 77;
  const int status = ExitStatusOf(Fork([] {
    if (unshare(CLONE_NEWPID) != 0) _exit(kNotAllowed);  // For this process's children.
    const ChildEnd end = RunInChild([] { return 3; });
    _exit(end.how == How::kExited ? end.code : -1);
  }));
  if (status == kNotAllowed) GTEST_SKIP() << "this user may not make a process namespace";
  EXPECT_EQ(status, 3);
}

TEST(ChildProcessTest, TheChildIsAnotherProcessOfTheSameGroup) {
  const pid_t parent = getpid();
  const pid_t group = getpgrp();
  const ChildEnd end =
      RunInChild([&] { return getpid() != parent && getppid() == parent && getpgrp() == group; });
  EXPECT_EQ(end.code, 1);
}

TEST(ChildProcessTest, KillsTheChildAtTheTimeLimit) {
  const absl::Duration begin = SteadyNow();
  ChildLimits limits;
  limits.time = absl::Milliseconds(100);
  // Neither signals nor handlers of the child keep it alive.
  const ChildEnd end = RunInChild(
      [] {
        for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_IGN);
        while (true) pause();
        return 0;
      },
      limits);
  EXPECT_EQ(end.how, How::kTimedOut);
  EXPECT_GE(SteadyNow() - begin, limits.time);
}

TEST(ChildProcessTest, AStoppedChildIsWaitedForUntilTheTimeLimit) {
  ChildLimits limits;
  limits.time = absl::Milliseconds(100);
  EXPECT_EQ(RunInChild([] { return raise(SIGSTOP); }, limits).how, How::kTimedOut);
}

TEST(ChildProcessTest, LimitsMemory) {
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not limit memory";
  const auto can_map = [] {
    const size_t size = size_t{64} << 20;
    void* const memory =
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? 1 : 0;
  };
  EXPECT_EQ(RunInChild(can_map).code, 1);
  ChildLimits limits;
  limits.memory = 1 << 20;
  EXPECT_EQ(RunInChild(can_map, limits).code, 0);
  EXPECT_EQ(can_map(), 1);  // The parent has no limit.
}

TEST(ChildProcessTest, TheChildHasTheSignalsThatTheProcessHad) {
  ::signal(SIGCHLD, SIG_IGN);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  const auto are_same = [] {
    sigset_t now;
    sigprocmask(SIG_BLOCK, nullptr, &now);
    struct sigaction action = {};
    sigaction(SIGCHLD, nullptr, &action);
    return sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGTERM) == 0 &&
           sigismember(&now, SIGCHLD) == 0 && action.sa_handler == SIG_IGN;
  };
  EXPECT_EQ(RunInChild(are_same).code, 1);
  EXPECT_TRUE(are_same());  // And so has the parent, afterwards.
  sigprocmask(SIG_UNBLOCK, &mask, nullptr);
  ::signal(SIGCHLD, SIG_DFL);
}

TEST(ChildProcessTest, PassesSignalsOn) {
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
    Pipe runs;
    const pid_t process = Fork([&] {
      ::signal(signal, SIG_DFL);
      const ChildEnd end = RunInChild([&] {
        EXPECT_EQ(write(runs.output, "r", 1), 1);
        while (true) pause();
        return 0;
      });
      _exit(end.how == How::kSignaled ? end.code : 255);
    });
    char byte;
    ASSERT_EQ(read(runs.input, &byte, 1), 1);
    kill(process, signal);
    EXPECT_EQ(ExitStatusOf(process), signal);
  }
}

// At random moments, from before the fork until the child waits.
TEST(ChildProcessTest, TheChildEndsWithItsParent) {
  for (int i = 0; i < 100; ++i) {
    Pipe alive;
    const pid_t process = Fork([&] {
      RunInChild([] {
        while (true) pause();
        return 0;
      });
    });
    alive.CloseOutput();  // Now only the two processes have it open.
    usleep(20 * static_cast<useconds_t>(i));
    kill(process, SIGKILL);
    EXPECT_EQ(ExitStatusOf(process), -SIGKILL);
    pollfd event = {alive.input, POLLIN, 0};
    ASSERT_EQ(poll(&event, 1, 30'000), 1) << "the child is still there";
    EXPECT_NE(event.revents & POLLHUP, 0);
  }
}

TEST(ChildProcessTest, AChildThatIsKilledAtAnyMomentIsReported) {
  for (int i = 0; i < 100; ++i) {
    const ChildEnd end = RunInChild([&] {
      const pid_t self = getpid();
      const pid_t killer = Fork([&] {
        usleep(20 * static_cast<useconds_t>(i));
        kill(self, SIGKILL);
      });
      while (killer > 0) pause();
      return 0;
    });
    EXPECT_EQ(end.how, How::kSignaled);
    EXPECT_EQ(end.code, SIGKILL);
  }
}

}  // namespace
}  // namespace firstcall
