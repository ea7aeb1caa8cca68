// The threads of the library are kept without a lock, which another thread could hold when the
// process forks. In a forked child none of them exists.

#include "base/end_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/forks.h"
#include "base/own_thread.h"

namespace firstcall {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(400);
constexpr size_t kStackBytes = 64 << 10;

// Their system's numbers; zero: none. If there are more threads, the process is not ended.
std::atomic<pid_t> own_threads[256];
// The process (see ProcessIdentity) whose threads these are, the one that has started some, and the
// one that has a watch.
std::atomic<uint64_t> owner{0};
std::atomic<uint64_t> started{0};
std::atomic<uint64_t> watched{0};
std::atomic<bool> is_needed{false};

pid_t ThisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void ForgetParents() {
  const uint64_t process = ProcessIdentity();
  if (owner.exchange(process) == process) return;
  for (std::atomic<pid_t>& thread : own_threads) thread = 0;
}

bool IsOwn(pid_t thread) {
  return std::find(std::begin(own_threads), std::end(own_threads), thread) != std::end(own_threads);
}

// What the system says of the process's first thread (proc(5)).
struct FirstThread {
  bool has_ended = false;
  int exit_code = 0;  // As waitpid returns it.
};

// Nullopt if the system does not say.
std::optional<FirstThread> LookAtFirstThread() {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/stat", static_cast<int>(getpid()));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[2048];
  const ssize_t size = read(file, text, sizeof(text) - 1);
  close(file);
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  // The state follows the name, which is in parentheses; the exit code is the last field.
  const char* const name_end = std::strrchr(text, ')');
  const char* const last = std::strrchr(text, ' ');
  if (name_end == nullptr || last == nullptr || std::strlen(name_end) < 3) return std::nullopt;
  return FirstThread{name_end[2] == 'Z' || name_end[2] == 'X', std::atoi(last)};
}

// Whether all threads except the first one are the library's. False if the system does not say.
bool AreOthersOwn() {
  DIR* const directory = opendir("/proc/self/task");
  if (directory == nullptr) return false;
  bool are_own = true;
  while (const dirent* entry = readdir(directory)) {
    const pid_t thread = static_cast<pid_t>(std::atoi(entry->d_name));
    if (thread > 0 && thread != getpid() && !IsOwn(thread)) are_own = false;
  }
  closedir(directory);
  return are_own;
}

// As the process would have ended with its last thread: by what has ended the first one.
[[noreturn]] void End(int exit_code) {
  if (WIFSIGNALED(exit_code)) {
    const int signal = WTERMSIG(exit_code);
    std::signal(signal, SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    kill(getpid(), signal);
  }
  _exit(WEXITSTATUS(exit_code));
}

void Watch() {
  while (true) {
    absl::SleepFor(kPause);
    const std::optional<FirstThread> first = LookAtFirstThread();
    if (!first) return;
    if (first->has_ended && AreOthersOwn()) End(first->exit_code);
  }
}

void StartIfNeeded() {
  if (!is_needed || BorrowsMemory()) return;
  const uint64_t process = ProcessIdentity();
  if (started != process || watched.exchange(process) == process) return;
  const absl::StatusOr<std::unique_ptr<OwnThread>> watch = OwnThread::Start(kStackBytes, &Watch);
  if (watch.ok()) {
    (*watch)->Detach();
  } else {
    watched = 0;  // With the next thread.
  }
}

}  // namespace

void EndWatch::Need() {
  if (!is_needed.exchange(true)) StartIfNeeded();
}

void EndWatch::NoteBegin() {
  ForgetParents();
  for (std::atomic<pid_t>& place : own_threads) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, ThisThread())) return;
  }
}

void EndWatch::NoteEnd() {
  const pid_t thread = ThisThread();
  for (std::atomic<pid_t>& place : own_threads) {
    pid_t own = thread;
    if (place.compare_exchange_strong(own, 0)) return;
  }
}

void EndWatch::NoteStart() {
  started = ProcessIdentity();
  StartIfNeeded();
}

}  // namespace firstcall
