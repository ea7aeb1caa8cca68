// Stops threads in the middle of LLVM when the process exits, for ever: LLVM cannot go on once its
// static objects are gone, and does not end soon enough by itself.
//
// A thread is stopped by a signal, where it holds no lock that exiting may need: in LLVM's own
// code, and not in what that calls, such as malloc. That can be told if LLVM lies in another file
// than malloc does (a library, or an executable with the C library beside it).

#ifndef FIRSTCALL_ENGINE_STOPPABLE_THREAD_H_
#define FIRSTCALL_ENGINE_STOPPABLE_THREAD_H_

#include <pthread.h>

#include <atomic>

#include "absl/types/span.h"

namespace firstcall {

// Stands for the thread that makes it.
class StoppableThread {
 public:
  StoppableThread() = default;
  ~StoppableThread() { ForbidStopping(); }
  StoppableThread(const StoppableThread&) = delete;
  StoppableThread& operator=(const StoppableThread&) = delete;

  // From now on the thread, which calls this, may be stopped: until the next call. Not for two at
  // once.
  void AllowStopping();
  void ForbidStopping();

  // Of the calling thread; null if it may not be stopped. For signal handlers, too.
  static StoppableThread* Current();

  bool is_stopped() const { return is_stopped_; }

  // Stops the calling thread, whose own this is.
  [[noreturn]] void StopHere();

  // Stops those that have not stopped by themselves, and returns when all have: within a
  // millisecond or two of LLVM's work if they can be stopped; else when they stop by themselves.
  // None may go on living. Takes the process's handler of SIGSYS over, which goes on to the last
  // one with signals that others send. Thread-compatible.
  static void StopAll(absl::Span<StoppableThread* const> threads);

 private:
  const pthread_t id_ = pthread_self();
  std::atomic<bool> is_stopped_{false};
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_STOPPABLE_THREAD_H_
