// Saves a program thread's state in the C and C++ libraries, because the program has called a
// function, not a compiler, and compiling changes that state: errno, and what CallOnceState keeps.
// Meanwhile the thread is not cancelled: compiling reads files, which are points of cancellation.
// Tested in tests/api/floating_point_test.cc and tests/api/cancellation_test.cc.

#ifndef FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
#define FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_

#include <cerrno>

#include "base/call_once_state.h"
#include "base/no_cancellation.h"

namespace firstcall {

// The constructor saves the state; the destructor, on the same thread, restores it.
class ProgramThreadState {
 public:
  ProgramThreadState() = default;
  ProgramThreadState(const ProgramThreadState&) = delete;
  ProgramThreadState& operator=(const ProgramThreadState&) = delete;

  ~ProgramThreadState() { errno = errno_; }

 private:
  const NoCancellation no_cancellation_;
  const CallOnceState call_once_;
  const int errno_ = errno;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
