// A thread that the library starts in a client's process. Only signals that the thread itself
// causes can reach it, so it runs none of the program's other signal handlers. It begins in the
// default floating-point environment, whatever the environment of the thread that starts it.
//
// Thread-compatible.

#ifndef FIRSTCALL_BASE_OWN_THREAD_H_
#define FIRSTCALL_BASE_OWN_THREAD_H_

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall {

class OwnThread {
 public:
  // Begins `work`, which must not let an exception escape, on a stack of at least `stack_bytes`.
  // ResourceExhausted if the process can have no further thread.
  static absl::StatusOr<std::unique_ptr<OwnThread>> Start(size_t stack_bytes,
                                                          std::function<void()> work);

  // The thread must have been joined or detached, except in a forked child, where it does not
  // exist.
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  void Join() { pthread_join(thread_, nullptr); }
  // If `work` ends within `time`, joins the thread and returns true. If not, returns false; the
  // thread must then still be joined or detached.
  bool JoinFor(absl::Duration time);
  void Detach() { pthread_detach(thread_); }
  bool Is(pthread_t thread) const { return pthread_equal(thread_, thread) != 0; }
  bool IsThisThread() const { return Is(pthread_self()); }

 private:
  struct Work;
  explicit OwnThread(std::unique_ptr<Work> work);
  static void* Run(void* work);

  const uint64_t owner_;  // See ProcessIdentity.
  Work* const work_;
  pthread_t thread_ = {};
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_OWN_THREAD_H_
