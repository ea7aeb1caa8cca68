#include "base/own_thread.h"

#include <csignal>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall {
namespace {

// What a thread does to itself, and the debugger to it.
constexpr int kOwnSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};

void* Work(void* work) {
  std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(work));
  (*owned)();
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<OwnThread>> OwnThread::Start(size_t stack_bytes,
                                                            std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  absl::Cleanup destroy = [&] { pthread_attr_destroy(&attributes); };
  pthread_attr_setstacksize(&attributes, stack_bytes);
  // A thread begins with the mask of the one that makes it.
  sigset_t blocked, old;
  sigfillset(&blocked);
  for (int signal : kOwnSignals) sigdelset(&blocked, signal);
  pthread_sigmask(SIG_SETMASK, &blocked, &old);
  absl::Cleanup unblock = [&] { pthread_sigmask(SIG_SETMASK, &old, nullptr); };
  std::unique_ptr<OwnThread> thread(new OwnThread());
  auto owned = std::make_unique<std::function<void()>>(std::move(work));
  if (int error = pthread_create(&thread->thread_, &attributes, &Work, owned.get()); error != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("starting a thread: ", strerror(error)));
  }
  (void)owned.release();
  return thread;
}

}  // namespace firstcall
