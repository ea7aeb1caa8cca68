// Saves a program thread's state in the C and C++ libraries, because the program has called a
// function, not a compiler, and compiling changes that state: errno, and the two thread-local
// variables that libstdc++ uses between the two halves of a std::call_once. Meanwhile the thread is
// not cancelled: compiling reads files, which are points of cancellation. Tested in
// tests/api/floating_point_test.cc and tests/api/cancellation_test.cc.

#ifndef FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
#define FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_

#include <cerrno>
#include <mutex>  // std::call_once

#include "base/no_cancellation.h"

namespace firstcall {

// The constructor saves the state; the destructor, on the same thread, restores it.
class ProgramThreadState {
 public:
  ProgramThreadState() = default;
  ProgramThreadState(const ProgramThreadState&) = delete;
  ProgramThreadState& operator=(const ProgramThreadState&) = delete;

  ~ProgramThreadState() {
#if defined(_GLIBCXX_HAVE_TLS)
    std::__once_callable = once_callable_;
    std::__once_call = once_call_;
#endif
    errno = errno_;
  }

 private:
  const NoCancellation no_cancellation_;
  const int errno_ = errno;
#if defined(_GLIBCXX_HAVE_TLS)
  void* const once_callable_ = std::__once_callable;
  void (*const once_call_)() = std::__once_call;
#endif
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
