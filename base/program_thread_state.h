// What the thread of a program has in the C and C++ libraries belongs to the program, which has
// called a function and not a compiler: errno, and between the two halves of a std::call_once
// libstdc++'s two thread-local variables. Compiling uses both.

#ifndef FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
#define FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_

#include <cerrno>
#include <mutex>  // std::call_once

namespace firstcall {

// Puts it back in its end as it was in its beginning, on the same thread.
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
  const int errno_ = errno;
#if defined(_GLIBCXX_HAVE_TLS)
  void* const once_callable_ = std::__once_callable;
  void (*const once_call_)() = std::__once_call;
#endif
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_PROGRAM_THREAD_STATE_H_
