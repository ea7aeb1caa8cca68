// The time limit is a poll on the process's pidfd, which needs no signal handler and no timer
// thread. When the poll returns the process is not yet reaped, so its id cannot have been reused
// when its group is killed. Output goes to a file, not to a pipe: so nothing has to read it while
// the clock runs, and the program never waits for a reader.

#include "benchmarks/process_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace firstcall::benchmarks {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Duration MonotonicTime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

// Starts `argv` as the leader of its own process group.
absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& argv, int output) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  // A benchmark says itself whether it measures a first or a second start.
  setenv("FIRSTCALL_CACHE", "off", /*replace=*/0);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error == 0) return pid;
  return absl::NotFoundError(absl::StrCat("start ", argv[0], ": ", strerror(error)));
}

// Whether the process ended by `deadline`. Does not reap it.
absl::StatusOr<bool> EndsBefore(pid_t pid, absl::Duration deadline) {
  const FileDescriptor process(syscall(SYS_pidfd_open, pid, 0));
  if (process.get() < 0) return absl::InternalError(absl::StrCat("pidfd_open: ", strerror(errno)));
  pollfd ended = {process.get(), POLLIN, 0};
  while (true) {
    const absl::Duration left = std::max(absl::ZeroDuration(), deadline - MonotonicTime());
    const timespec timeout = absl::ToTimespec(left);
    const int count = ppoll(&ended, 1, &timeout, nullptr);
    if (count >= 0) return count > 0;
    if (errno != EINTR) return absl::InternalError(absl::StrCat("poll: ", strerror(errno)));
  }
}

std::string ReadAll(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return "";
  std::string text(status.st_size, '\0');
  const ssize_t size = pread(file, text.data(), text.size(), 0);
  text.resize(std::max<ssize_t>(size, 0));
  return text;
}

// Reaps the ended or killed process, and fills in all fields but the wall time.
absl::StatusOr<ProcessRun> Reap(pid_t pid, bool timed_out) {
  int status = 0;
  rusage usage;
  while (wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return absl::InternalError(absl::StrCat("wait4: ", strerror(errno)));
  }
  ProcessRun run;
  if (timed_out) {
    run.end = ProcessRun::End::kTimedOut;
  } else if (WIFSIGNALED(status)) {
    run.end = ProcessRun::End::kSignaled;
    run.code = WTERMSIG(status);
  } else {
    run.code = WEXITSTATUS(status);
  }
  run.cpu = absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
  run.peak_rss_kib = usage.ru_maxrss;
  return run;
}

}  // namespace

absl::StatusOr<ProcessRun> RunProcess(const std::vector<std::string>& argv,
                                      absl::Duration time_limit) {
  const FileDescriptor output(memfd_create("output", MFD_CLOEXEC));
  if (output.get() < 0) return absl::InternalError(absl::StrCat("memfd: ", strerror(errno)));

  const absl::Duration start = MonotonicTime();
  const absl::StatusOr<pid_t> pid = Spawn(argv, output.get());
  if (!pid.ok()) return pid.status();
  const absl::StatusOr<bool> ended = EndsBefore(*pid, start + time_limit);
  const absl::Duration wall = MonotonicTime() - start;

  // Also after a normal end, because processes that are left would disturb the next measurement.
  kill(-*pid, SIGKILL);
  absl::StatusOr<ProcessRun> run = Reap(*pid, /*timed_out=*/!ended.value_or(false));
  if (!ended.ok()) return ended.status();
  if (!run.ok()) return run;
  run->wall = wall;
  run->output = ReadAll(output.get());
  return run;
}

}  // namespace firstcall::benchmarks
