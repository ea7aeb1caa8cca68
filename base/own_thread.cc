#include "base/own_thread.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/end_watch.h"
#include "base/forks.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

// The signals that a thread raises by its own actions, and those that a debugger raises for it.
constexpr int kOwnSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};

// The time between two checks whether a thread has begun, or has ended.
constexpr absl::Duration kPause = absl::Microseconds(50);

// Gives back memory whose contents nobody needs. The system refuses if it is locked.
bool GiveBack(void* begin, size_t size) { return madvise(begin, size, MADV_DONTNEED) == 0; }

// Whether the program locks memory that it gets from now on (mlockall with MCL_FUTURE).
bool IsNewMemoryLocked() {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const probe = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return false;
  const bool is_locked = !GiveBack(probe, page);
  munmap(probe, page);
  return is_locked;
}

// If the program locks new memory, the system makes the whole stack of a new thread resident. Gives
// back what lies below the calling function.
void UnlockUnusedStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  constexpr size_t kKept = 64 << 10;  // For what this function calls.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t below = static_cast<char*>(__builtin_frame_address(0)) - static_cast<char*>(begin);
  if (below <= kKept || below > size) return;
  const size_t unused = (below - kKept) / page * page;
  if (munlock(begin, unused) == 0) (void)GiveBack(begin, unused);
}

}  // namespace

// Shared by the thread and its OwnThread; deleted by whichever ends last.
struct OwnThread::Work {
  std::function<void()> run;
  bool is_locked = false;  // Its stack, like all new memory.
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_ended{false};
  std::atomic<bool> is_left{false};
};

OwnThread::OwnThread(std::unique_ptr<Work> work)
    : owner_(ProcessIdentity()), work_(work.release()) {}

OwnThread::~OwnThread() {
  if (work_->is_left.exchange(true) || owner_ != ProcessIdentity()) delete work_;
}

bool OwnThread::JoinFor(absl::Duration time) {
  const absl::Duration end = SteadyNow() + time;
  while (!work_->has_ended) {
    if (SteadyNow() >= end) return false;
    absl::SleepFor(kPause);
  }
  Join();
  return true;
}

void* OwnThread::Run(void* work) {
  auto* own = static_cast<Work*>(work);
  if (own->is_locked) UnlockUnusedStack();
  own->has_begun = true;
  // A thread begins with the floating-point environment of the thread that creates it.
  std::fesetenv(FE_DFL_ENV);
  {
    // What it holds on to may be the thread itself.
    const std::function<void()> run = std::move(own->run);
    EndWatch::NoteBegin();
    run();
    EndWatch::NoteEnd();
  }
  own->has_ended = true;
  if (own->is_left.exchange(true)) delete own;
  return nullptr;
}

absl::StatusOr<std::unique_ptr<OwnThread>> OwnThread::Start(size_t stack_bytes,
                                                            std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  absl::Cleanup destroy = [&] { pthread_attr_destroy(&attributes); };
  pthread_attr_setstacksize(&attributes, stack_bytes);
  // A thread begins with the signal mask of the thread that creates it.
  sigset_t blocked, old;
  sigfillset(&blocked);
  for (int signal : kOwnSignals) sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  absl::Cleanup unblock = [&] { pthread_sigmask(SIG_SETMASK, &old, nullptr); };
  auto owned = std::make_unique<Work>();
  owned->run = std::move(work);
  const bool is_locked = owned->is_locked = IsNewMemoryLocked();
  std::unique_ptr<OwnThread> thread(new OwnThread(std::move(owned)));
  if (int error = pthread_create(&thread->thread_, &attributes, &Run, thread->work_); error != 0) {
    thread->work_->is_left = true;
    return absl::ResourceExhaustedError(absl::StrCat("starting a thread: ", strerror(error)));
  }
  // The program may look at its memory next.
  if (is_locked) {
    while (!thread->work_->has_begun) absl::SleepFor(kPause);
  }
  EndWatch::NoteStart();
  return thread;
}

}  // namespace firstcall
