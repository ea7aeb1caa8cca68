// The time limit is a poll on the process's pidfd, which needs no signal handler and no timer
// thread. When the poll returns the process is not yet reaped, so its id cannot have been reused
// when its group is killed. Output goes to a file, not to a pipe: so nothing has to read it while
// the clock runs, and the program never waits for a reader.

#include "tools/measure/process_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall::measure {
namespace {

constexpr off_t kMostErrors = 4096;

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

// What a forked child tells its parent: memory that both share.
struct Message {
  timespec begin = {};  // when it called exec
  int error = 0;        // errno, if exec failed
  bool is_about_input = false;
};

class SharedMessage {
 public:
  SharedMessage()
      : memory_(mmap(nullptr, sizeof(Message), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                     -1, 0)) {
    if (memory_ != MAP_FAILED) new (memory_) Message;
  }
  SharedMessage(const SharedMessage&) = delete;
  SharedMessage& operator=(const SharedMessage&) = delete;
  ~SharedMessage() {
    if (memory_ != MAP_FAILED) munmap(memory_, sizeof(Message));
  }
  Message* get() const { return memory_ == MAP_FAILED ? nullptr : static_cast<Message*>(memory_); }

 private:
  void* const memory_;
};

// Becomes the program, in a forked child. Other threads of the parent may have held any lock, so
// nothing here allocates memory.
[[noreturn]] void Become(char** arguments, char** environment, const char* input, int output,
                         int errors, pid_t parent, Message* message) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int opened = open(input, O_RDONLY | O_CLOEXEC);
  message->is_about_input = opened < 0;
  if (opened >= 0) {
    dup2(opened, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    clock_gettime(CLOCK_MONOTONIC, &message->begin);
    execvpe(arguments[0], arguments, environment);
  }
  message->error = errno;
  _exit(127);
}

// Those of this process. Who measures says itself whether it measures a first or a second start, so
// the cache is off unless a variable says something else.
std::vector<char*> Variables() {
  static char cache_is_off[] = "FIRSTCALL_CACHE=off";
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  if (getenv("FIRSTCALL_CACHE") == nullptr) variables.push_back(cache_is_off);
  variables.push_back(nullptr);
  return variables;
}

// A fork, not a posix_spawn: the latter's child would be counted with this process's largest
// resident set, the forked one with the pages that were written to.
absl::StatusOr<pid_t> Start(const std::vector<std::string>& argv, const std::string& input,
                            int output, int errors, Message* message) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables = Variables();
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    Become(arguments.data(), variables.data(), input.c_str(), output, errors, parent, message);
  }
  if (pid < 0) return absl::InternalError(absl::StrCat("fork: ", strerror(errno)));
  // Both set the group, so that it is set for whoever needs it first.
  setpgid(pid, pid);
  return pid;
}

enum class Wait { kEnded, kTimedOut, kStopped };

// Waits until the process has ended, but not after `deadline`. Does not reap it.
absl::StatusOr<Wait> WaitForEnd(pid_t pid, absl::Duration deadline, int stop) {
  const FileDescriptor process(syscall(SYS_pidfd_open, pid, 0));
  if (process.get() < 0) return absl::InternalError(absl::StrCat("pidfd_open: ", strerror(errno)));
  // The poll ignores a negative descriptor.
  pollfd events[] = {{process.get(), POLLIN, 0}, {stop, POLLIN, 0}};
  while (true) {
    const absl::Duration left = std::max(absl::ZeroDuration(), deadline - MonotonicTime());
    const timespec timeout = absl::ToTimespec(left);
    const int count = ppoll(events, 2, &timeout, nullptr);
    if (count == 0) return Wait::kTimedOut;
    if (count > 0) return events[1].revents != 0 ? Wait::kStopped : Wait::kEnded;
    if (errno != EINTR) return absl::InternalError(absl::StrCat("poll: ", strerror(errno)));
  }
}

// At most `limit` bytes.
std::string Read(int file, off_t limit) {
  struct stat status;
  if (fstat(file, &status) != 0) return "";
  std::string text(std::min(status.st_size, limit), '\0');
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
                                      absl::Duration time_limit, const ProcessOptions& options) {
  const FileDescriptor output(memfd_create("output", MFD_CLOEXEC));
  const FileDescriptor errors(memfd_create("errors", MFD_CLOEXEC));
  const SharedMessage message;
  if (output.get() < 0 || errors.get() < 0 || message.get() == nullptr) {
    return absl::InternalError(absl::StrCat("make memory for output: ", strerror(errno)));
  }
  const absl::Duration start = MonotonicTime();
  const absl::StatusOr<pid_t> pid =
      Start(argv, options.input, output.get(), errors.get(), message.get());
  if (!pid.ok()) return pid.status();
  const absl::StatusOr<Wait> wait = WaitForEnd(*pid, start + time_limit, options.stop);
  const absl::Duration end = MonotonicTime();

  // Also after a normal end, because processes that are left would disturb the next measurement.
  kill(-*pid, SIGKILL);
  absl::StatusOr<ProcessRun> run = Reap(*pid, wait.ok() && *wait == Wait::kTimedOut);
  if (!wait.ok()) return wait.status();
  if (*wait == Wait::kStopped) return absl::CancelledError(absl::StrCat("run ", argv[0]));
  if (!run.ok()) return run;
  if (message.get()->error != 0) {
    return absl::NotFoundError(absl::StrCat(message.get()->is_about_input
                                                ? absl::StrCat("read ", options.input)
                                                : absl::StrCat("start ", argv[0]),
                                            ": ", strerror(message.get()->error)));
  }
  // The limit counts from the fork on, so that it also ends a program that is never reached.
  const bool timed_out = run->end == ProcessRun::End::kTimedOut;
  run->wall = end - (timed_out ? start : absl::DurationFromTimespec(message.get()->begin));
  run->output = Read(output.get(), std::numeric_limits<off_t>::max());
  run->errors = Read(errors.get(), kMostErrors);
  return run;
}

absl::StatusOr<int64_t> LeastPeakRssKib() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  if (pid < 0) return absl::InternalError(absl::StrCat("fork: ", strerror(errno)));
  absl::StatusOr<ProcessRun> run = Reap(pid, /*timed_out=*/false);
  if (!run.ok()) return run.status();
  return run->peak_rss_kib;
}

void KeepCrashesShort() {
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  setenv("LLVM_DISABLE_SYMBOLIZATION", "1", /*replace=*/1);
}

}  // namespace firstcall::measure
