#include "base/fatal_error_guard.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <mutex>  // std::call_once
#include <string>

#include "llvm/Support/ErrorHandling.h"

namespace firstcall {
namespace {

// One frame per active RunGuarded of a thread, innermost first.
struct Frame {
  std::jmp_buf resume;
  std::string reason;
  Frame* outer;
};

thread_local Frame* innermost = nullptr;

void OnFatalError(void*, const char* reason, bool) {
  Frame* frame = innermost;
  if (frame == nullptr) {
    // Not ours: what LLVM does without a handler.
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    std::exit(1);
  }
  frame->reason = reason;
  std::longjmp(frame->resume, 1);
}

}  // namespace

absl::Status RunGuarded(absl::FunctionRef<void()> callback) {
  // LLVM keeps a single handler for the whole process. It is installed for good, because a scoped
  // one could be removed by one thread while another still relies on it.
  static std::once_flag installed;
  std::call_once(installed, [] { llvm::install_fatal_error_handler(OnFatalError); });

  Frame frame;
  frame.outer = innermost;
  if (setjmp(frame.resume) != 0) {
    innermost = frame.outer;
    return absl::InternalError(frame.reason);
  }
  innermost = &frame;
  callback();
  innermost = frame.outer;
  return absl::OkStatus();
}

}  // namespace firstcall
