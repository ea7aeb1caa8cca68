// A thread of the library's own in somebody else's process: no handler of the program's runs on it,
// because only the signals that it causes itself can reach it. Its floating-point environment is
// the default one, whatever that of the thread is that starts it.
//
// Thread-compatible.

#ifndef FIRSTCALL_BASE_OWN_THREAD_H_
#define FIRSTCALL_BASE_OWN_THREAD_H_

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall {

class OwnThread {
 public:
  // Begins `work`, which must not let an exception escape, on a stack of at least `stack_bytes`.
  // ResourceExhausted if the process can have no other thread.
  static absl::StatusOr<std::unique_ptr<OwnThread>> Start(size_t stack_bytes,
                                                          std::function<void()> work);

  // It must have been joined or detached, but in a forked child, where it does not exist.
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  void Join() { pthread_join(thread_, nullptr); }
  // Joins it if its work ends within `time`; otherwise false, and it must still be.
  bool JoinFor(absl::Duration time);
  void Detach() { pthread_detach(thread_); }
  bool Is(pthread_t thread) const { return pthread_equal(thread_, thread) != 0; }
  bool IsThisThread() const { return Is(pthread_self()); }

 private:
  struct Work;
  explicit OwnThread(std::unique_ptr<Work> work);
  static void* Run(void* work);

  const pid_t owner_;
  Work* const work_;
  pthread_t thread_ = {};
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_OWN_THREAD_H_
