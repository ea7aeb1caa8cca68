// Saves a program thread's state in the C and C++ libraries, because the program has called a
// function, not a compiler, and compiling changes that state: errno, and what CallOnceState keeps.
// Tested in tests/api/floating_point_test.cc and tests/api/cancellation_test.cc.

#ifndef FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
#define FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_

#include <cerrno>

#include "base/call_once_state.h"
#include "base/no_interruption.h"

namespace firstcall {

// The constructor saves the state; the destructor, on the same thread, restores it.
class LibraryState {
 public:
  LibraryState() = default;
  LibraryState(const LibraryState&) = delete;
  LibraryState& operator=(const LibraryState&) = delete;

  ~LibraryState() { errno = errno_; }

 private:
  const CallOnceState call_once_;
  const int errno_ = errno;
};

// The same; meanwhile the thread is not cancelled, because compiling reads files, which are points
// of cancellation, and signals are held back.
class ProgramThreadState {
 private:
  const NoInterruption no_interruption_;
  const LibraryState library_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
