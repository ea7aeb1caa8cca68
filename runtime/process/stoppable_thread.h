// Stops threads that execute LLVM's code when the process exits. They never continue: exit destroys
// LLVM's static objects, which LLVM's code uses, and a pass of LLVM may run for a minute.
//
// A signal stops a thread only while it executes LLVM's own code, not a function that LLVM calls,
// such as malloc. So the thread holds no lock that the exiting thread may need. This requires that
// LLVM and malloc lie in different files, as they do if the C library is a shared library. Tested
// in tests/runtime/unattended_work_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_STOPPABLE_THREAD_H_
#define FIRSTCALL_RUNTIME_PROCESS_STOPPABLE_THREAD_H_

#include <pthread.h>

#include <atomic>

#include "absl/types/span.h"

namespace firstcall {

// Represents the thread that constructs it. Thread-compatible.
class StoppableThread {
 public:
  StoppableThread() = default;
  ~StoppableThread() { ForbidStopping(); }
  StoppableThread(const StoppableThread&) = delete;
  StoppableThread& operator=(const StoppableThread&) = delete;

  // Each engine calls this when it gets a compiler. `address` lies in the code of LLVM: the code of
  // the file that it is in may be stopped. Does nothing if it is null: that compiler has no LLVM in
  // this process. The first StopAll decides; later calls change nothing.
  static void SetStoppableCode(const void* address);

  // Between these two calls, which the thread itself makes, StopAll may stop the thread by a
  // signal. At most one object of a thread may allow it at a time.
  void AllowStopping();
  void ForbidStopping();

  // The calling thread's object, or null if the thread does not allow stopping. Async-signal-safe.
  static StoppableThread* Current();

  bool is_stopped() const { return is_stopped_; }

  // Stops the calling thread. To be called on its own object only.
  [[noreturn]] void StopHere();

  // Stops `threads`, and returns when all have stopped. A thread that does not allow stopping has
  // to call StopHere; the objects of stopped threads must not be destroyed. Usually takes less than
  // two milliseconds. If LLVM and malloc lie in the same file, or SetStoppableCode was not called,
  // or under the thread sanitizer, it takes as long as the threads need to reach StopHere. Installs
  // a handler for SIGSYS, which passes signals of other senders on to the previous handler.
  static void StopAll(absl::Span<StoppableThread* const> threads);

 private:
  const pthread_t id_ = pthread_self();
  std::atomic<bool> is_stopped_{false};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_STOPPABLE_THREAD_H_
