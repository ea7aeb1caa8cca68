// Turns LLVM's report_fatal_error and report_bad_alloc_error, which would end the process, into a
// status; on request also crashes.
//
// If LLVM's code generation or linking meets an error ("cannot select", a relocation out of range),
// LLVM calls a process-wide handler that must not return. If an allocation fails (in damaged
// bitcode, one of an absurd size), LLVM calls another. RunGuarded installs such handlers. If one is
// invoked on a thread that is inside RunGuarded, it leaves the callback by longjmp; on any other
// thread it does what LLVM does by default (print the reason, exit or abort).
//
// The longjmp skips destructors, so the LLVM objects that the callback was using are leaked or
// inconsistent. After an error of code Internal, the caller must abandon them, not destroy them.

#ifndef FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_
#define FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace firstcall {

// Runs `callback`. Returns OK if the callback returned; Internal with LLVM's reason if it ended in
// one of the two errors, or with the signal's name if it crashed while a CrashContainment exists.
// An exception of the callback leaves RunGuarded, too: destructors of LLVM's, which is compiled
// without exceptions, are skipped, as by a longjmp. Thread-safe; may nest.
absl::Status RunGuarded(absl::FunctionRef<void()> callback);

// Whether a status of RunGuarded comes from a crash. After a crash, nothing that the callback used
// may be touched again.
bool IsCrash(const absl::Status& status);

// How many crashes have been contained on this thread so far.
int CrashesOnThisThread();

// While an object of this class exists, LLVM's CrashRecoveryContext handles the process's SIGSEGV,
// SIGBUS, SIGILL, SIGFPE, SIGTRAP and SIGABRT. Outside RunGuarded, it passes them on to the
// handlers that were installed before. Thread-safe.
class CrashContainment {
 public:
  CrashContainment();
  ~CrashContainment();
  CrashContainment(const CrashContainment&) = delete;
  CrashContainment& operator=(const CrashContainment&) = delete;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_FATAL_ERROR_GUARD_H_
