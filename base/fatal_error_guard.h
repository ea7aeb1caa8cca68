// Turns LLVM's report_fatal_error and report_bad_alloc_error, which end the process, into a status,
// and on request crashes.
//
// LLVM answers a broken promise inside code generation or linking ("cannot select", a relocation
// out of range) by calling a process-wide handler that must not return, and an allocation that
// fails (in damaged bitcode, one of an absurd size) by another. RunGuarded installs such handlers
// and leaves the callback by longjmp when one is invoked on a thread that is inside RunGuarded; on
// any other thread LLVM's own behaviour (print the reason, exit or abort) is kept.
//
// Leaving by longjmp skips destructors: whatever LLVM objects the callback was using are leaked or
// inconsistent, so the caller must abandon them (not destroy them) after an error of code Internal.

#ifndef FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_
#define FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace firstcall {

// Runs `callback`. OK if it returned; Internal with LLVM's reason if it ended in one of the two, or
// with the signal if it crashed and a CrashContainment lives. Thread-safe; may nest. The callback
// must not let an exception escape.
absl::Status RunGuarded(absl::FunctionRef<void()> callback);

// Whether a status of RunGuarded's comes from a crash, after which nothing that the callback used
// may be touched again.
bool IsCrash(const absl::Status& status);

// How many crashes have been contained on this thread so far.
int CrashesOnThisThread();

// While one lives, LLVM's CrashRecoveryContext handles the process's SIGSEGV, SIGBUS, SIGILL,
// SIGFPE, SIGTRAP and SIGABRT. Outside RunGuarded they go on to the handlers before it.
// Thread-safe.
class CrashContainment {
 public:
  CrashContainment();
  ~CrashContainment();
  CrashContainment(const CrashContainment&) = delete;
  CrashContainment& operator=(const CrashContainment&) = delete;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_
