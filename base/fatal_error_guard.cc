#include "base/fatal_error_guard.h"

#include <signal.h>

#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>  // std::call_once
#include <string>

#include "absl/base/attributes.h"
#include "absl/base/thread_annotations.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/out_of_memory.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"

namespace firstcall {
namespace {

struct Frame;
thread_local Frame* innermost = nullptr;
thread_local int crashes = 0;

// One frame per active RunGuarded of a thread, innermost first. The destructor also runs if the
// callback throws an exception, or if the thread is cancelled in it.
struct Frame {
  Frame() = default;
  ~Frame() {
    innermost = outer;
    llvm::RestorePrettyStackState(stack_state);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  std::jmp_buf resume;
  std::string reason;
  bool is_fatal = false;
  Frame* const outer = innermost;
  // LLVM's list of stack entries points into frames that a longjmp, a crash or an exception leaves.
  const void* const stack_state = llvm::SavePrettyStackState();
};

constexpr absl::string_view kCrashPayload = "firstcall/crash";

// Returns only if no RunGuarded is active on this thread.
void Resume(const char* reason) {
  Frame* frame = innermost;
  if (frame == nullptr) return;
  frame->reason = reason;
  std::longjmp(frame->resume, 1);
}

std::atomic<void (*)()> out_of_memory_handler{nullptr};

// Without an active RunGuarded, the two handlers end the process as LLVM does by default.
void OnFatalError(void*, const char* reason, bool) {
  Resume(reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
  std::exit(1);
}

void OnBadAlloc(void*, const char* reason, bool) {
  Resume(reason);
  if (void (*handler)() = out_of_memory_handler) handler();
  std::fprintf(stderr, "LLVM ERROR: out of memory: %s\n", reason);
  std::abort();
}

// LLVM has one handler of each kind for the whole process. They are never removed, because one
// thread could remove them while another still relies on them.
void InstallHandlers() {
  static std::once_flag installed;
  std::call_once(installed, [] {
    llvm::install_fatal_error_handler(OnFatalError);
    llvm::install_bad_alloc_error_handler(OnBadAlloc);
  });
}

}  // namespace

// The reason is so short that the string allocates no memory.
void LeaveGuardedOutOfMemory() { Resume("out of memory"); }

void SetOutOfMemoryHandler(void (*handler)()) {
  out_of_memory_handler = handler;
  InstallHandlers();
}

absl::Status RunGuarded(absl::FunctionRef<void()> callback) {
  InstallHandlers();
  Frame frame;
  llvm::CrashRecoveryContext recovery;
  const bool has_crashed = !recovery.RunSafely([&] {
    if (setjmp(frame.resume) != 0) {
      frame.is_fatal = true;
      return;
    }
    innermost = &frame;
    callback();
  });
  if (has_crashed) {
    ++crashes;
    // LLVM reports a signal as a shell does: 128 plus its number.
    const int signal = recovery.RetCode - 128;
    absl::Status crash = absl::InternalError(absl::StrCat("crashed: ", strsignal(signal)));
    crash.SetPayload(kCrashPayload, absl::Cord());
    return crash;
  }
  return frame.is_fatal ? absl::InternalError(frame.reason) : absl::OkStatus();
}

int CrashesOnThisThread() { return crashes; }

bool IsCrash(const absl::Status& status) { return status.GetPayload(kCrashPayload).has_value(); }

namespace {

ABSL_CONST_INIT absl::Mutex containments_mutex(absl::kConstInit);
int containments ABSL_GUARDED_BY(containments_mutex) = 0;

// Those that CrashRecoveryContext handles, all by the same function.
constexpr int kCrashSignals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};

struct sigaction HandlerOf(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action;
}

bool IsFunction(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

std::atomic<void (*)(int)> llvms_handler{nullptr};
// What was there before. Constant while Forward is a handler.
struct sigaction hosts_handlers[std::size(kCrashSignals)];

// Takes the place of LLVM's handler where the host has one of its own. LLVM's would raise the
// signal of a fault elsewhere once more, and the host's handler would not learn what the fault was.
void Forward(int signal, siginfo_t* info, void* context) {
  if (innermost != nullptr) return llvms_handler.load()(signal);
  for (size_t i = 0; i < std::size(kCrashSignals); ++i) {
    if (kCrashSignals[i] != signal) continue;
    const struct sigaction& host = hosts_handlers[i];
    if ((host.sa_flags & SA_SIGINFO) != 0) {
      host.sa_sigaction(signal, info, context);
    } else {
      host.sa_handler(signal);
    }
  }
}

void EnableCrashRecovery() {
  for (size_t i = 0; i < std::size(kCrashSignals); ++i) {
    hosts_handlers[i] = HandlerOf(kCrashSignals[i]);
  }
  llvm::CrashRecoveryContext::Enable();
  llvms_handler = HandlerOf(SIGSEGV).sa_handler;
  for (size_t i = 0; i < std::size(kCrashSignals); ++i) {
    if (!IsFunction(hosts_handlers[i])) continue;
    struct sigaction action = hosts_handlers[i];
    action.sa_sigaction = &Forward;
    action.sa_flags |= SA_SIGINFO;
    sigaction(kCrashSignals[i], &action, nullptr);
  }
}

// LLVM would bring back the handlers that it has found, also where the host has set others since.
void DisableCrashRecovery() {
  struct sigaction now[std::size(kCrashSignals)];
  for (size_t i = 0; i < std::size(kCrashSignals); ++i) now[i] = HandlerOf(kCrashSignals[i]);
  llvm::CrashRecoveryContext::Disable();
  for (size_t i = 0; i < std::size(kCrashSignals); ++i) {
    const bool is_ours =
        now[i].sa_handler == llvms_handler.load() || now[i].sa_sigaction == &Forward;
    if (!is_ours) sigaction(kCrashSignals[i], &now[i], nullptr);
  }
}

}  // namespace

CrashContainment::CrashContainment() {
  absl::MutexLock lock(&containments_mutex);
  if (containments++ == 0) EnableCrashRecovery();
}

CrashContainment::~CrashContainment() {
  absl::MutexLock lock(&containments_mutex);
  if (--containments == 0) DisableCrashRecovery();
}

}  // namespace firstcall
