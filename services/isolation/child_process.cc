// The parent blocks the signals that it waits for, so that none is lost between a look at the child
// and the wait. The child's number cannot be used again while it is watched: only this parent can
// reap it.

#include "services/isolation/child_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/end_with_parent.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

constexpr int kPassedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

absl::Status SystemError(absl::string_view operation) {
  return absl::InternalError(
      absl::StrCat("starting a child process: ", operation, ": ", std::strerror(errno)));
}

// Blocks the signals that the parent waits for, and lets a child be waited for even if whoever
// started this process ignores SIGCHLD. Restores both when it is destroyed.
class WatchedSignals {
 public:
  WatchedSignals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    for (int signal : kPassedOn) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, &mask_before_);
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &action, &action_before_);
  }
  WatchedSignals(const WatchedSignals&) = delete;
  WatchedSignals& operator=(const WatchedSignals&) = delete;
  ~WatchedSignals() {
    sigaction(SIGCHLD, &action_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
  }

  // Waits for one of them, at most for `timeout`. False if none has come.
  bool Wait(absl::Duration timeout, siginfo_t& signal) const {
    if (timeout == absl::InfiniteDuration()) return sigwaitinfo(&set_, &signal) > 0;
    const timespec limit = absl::ToTimespec(timeout);
    return sigtimedwait(&set_, &signal, &limit) > 0;
  }

 private:
  sigset_t set_;
  sigset_t mask_before_;
  struct sigaction action_before_ = {};
};

// A child that has ended by itself in the last moment has not timed out.
absl::StatusOr<ChildEnd> Kill(pid_t child) {
  kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("waitpid");
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return ChildEnd{ChildEnd::How::kTimedOut};
  return EndOf(status);
}

absl::StatusOr<ChildEnd> Watch(pid_t child, absl::Duration deadline,
                               const WatchedSignals& signals) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return EndOf(status);
    if (ended < 0 && errno != EINTR) return SystemError("waitpid");
    const absl::Duration left = deadline - SteadyNow();
    if (left <= absl::ZeroDuration()) return Kill(child);
    siginfo_t signal = {};
    if (!signals.Wait(left, signal) || signal.si_signo == SIGCHLD) continue;
    // The terminal's signals come from the kernel; the child has got them, too.
    if (signal.si_code <= 0) kill(child, signal.si_signo);
  }
}

}  // namespace

std::string Describe(const ChildEnd& end) {
  if (end.how == ChildEnd::How::kExited) return absl::StrCat("exit status ", end.code);
  if (end.how == ChildEnd::How::kTimedOut) return "its time limit";
  return absl::StrCat("signal ", end.code, " (", strsignal(end.code), ")");
}

void SetUpChild(const ChildLimits& limits, pid_t parent) {
  EndWithParent(parent);
  rlimit memory = {};
  getrlimit(RLIMIT_DATA, &memory);
  memory.rlim_max = std::min<rlim_t>(memory.rlim_max, limits.memory);
  memory.rlim_cur = std::min(memory.rlim_cur, memory.rlim_max);
  setrlimit(RLIMIT_DATA, &memory);
}

ChildEnd EndOf(int status) {
  if (WIFSIGNALED(status)) return {ChildEnd::How::kSignaled, WTERMSIG(status)};
  return {ChildEnd::How::kExited, WEXITSTATUS(status)};
}

absl::StatusOr<std::optional<ChildEnd>> ContinueInChild(const ChildLimits& limits) {
  std::fflush(nullptr);  // Otherwise both would write what is in a buffer.
  const absl::Duration deadline = SteadyNow() + limits.time;
  const pid_t parent = getpid();
  const WatchedSignals signals;
  const pid_t child = fork();
  if (child < 0) return SystemError("fork");
  if (child == 0) {
    SetUpChild(limits, parent);
    return std::nullopt;
  }
  absl::StatusOr<ChildEnd> end = Watch(child, deadline, signals);
  if (!end.ok()) return end.status();
  return *end;
}

}  // namespace firstcall
