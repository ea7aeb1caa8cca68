// Keeps the two thread-local variables that libstdc++ uses between the two halves of a
// std::call_once. A program may call a function for the first time between these halves, and to
// compile the function, LLVM uses std::call_once, too.
//
// The variables are those of the copy of libstdc++ that the caller's file is linked with. Where the
// compiler half is a library of its own (seam/compiler_library.h), its copy may be the program's,
// although the runtime half has another one. So both halves keep them.
//
// Tested in tests/api/floating_point_test.cc, and in tests/programs/single/library.cc.

#ifndef FIRSTCALL_BASE_CALL_ONCE_STATE_H_
#define FIRSTCALL_BASE_CALL_ONCE_STATE_H_

#include <mutex>  // std::call_once

namespace firstcall {

// The constructor saves the variables; the destructor, on the same thread, restores them.
class CallOnceState {
 public:
  CallOnceState() = default;
  CallOnceState(const CallOnceState&) = delete;
  CallOnceState& operator=(const CallOnceState&) = delete;

  ~CallOnceState() {
#if defined(_GLIBCXX_HAVE_TLS)
    std::__once_callable = callable_;
    std::__once_call = call_;
#endif
  }

 private:
#if defined(_GLIBCXX_HAVE_TLS)
  void* const callable_ = std::__once_callable;
  void (*const call_)() = std::__once_call;
#endif
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_CALL_ONCE_STATE_H_
