#include "stubs/reentry.h"

#include <cerrno>
#include <mutex>  // std::call_once

extern "C" {

// Called by the reentry's assembly. What the program's thread has in errno, and between the two
// halves of a std::call_once in libstdc++'s two thread-local variables, belongs to the program,
// which has called a function and not a compiler; compiling uses both.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_resolve(
    firstcall::ReentryContext* context, uint64_t index) {
  const int saved_errno = errno;
#if defined(_GLIBCXX_HAVE_TLS)
  void* const saved_callable = std::__once_callable;
  void (*const saved_call)() = std::__once_call;
#endif
  const firstcall::ExecutorAddress target = context->resolve(*context, index);
#if defined(_GLIBCXX_HAVE_TLS)
  std::__once_callable = saved_callable;
  std::__once_call = saved_call;
#endif
  errno = saved_errno;
  return target.value();
}

}  // extern "C"
