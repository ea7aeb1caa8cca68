// While LLVM's passes optimize a function, their thread does unattended work: one pass may take a
// minute, so other threads wait only briefly for it.
//
// While the passes run, their thread does not count as being at work (see WorkScope), and it must
// use only objects of its own. A fork, a removal and the end of an engine wait for kPatience,
// because the result is worth having, and then go on. When the passes end, the module or the engine
// that the result is for may no longer exist.
//
// At exit, a thread that the library started is stopped (see StoppableThread). A thread of the
// program goes on, and exit waits for it as for a thread that is at work.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_PROCESS_UNATTENDED_WORK_H_
#define FIRSTCALL_RUNTIME_PROCESS_UNATTENDED_WORK_H_

#include <pthread.h>

#include <atomic>
#include <optional>

#include "absl/time/time.h"
#include "runtime/process/stoppable_thread.h"

namespace firstcall {

class UnattendedWork {
 public:
  // How long other threads wait for the result.
  static constexpr absl::Duration kPatience = absl::Milliseconds(5);

  // The calling thread must be at work. If it is in more than one WorkScope, it still counts as
  // being at work, because the outer scope may hold locks or claims.
  //
  // `attended` is null for a thread of the program. For a thread that the library started,
  // `attended` is the number of its team's threads that count as being at work. While this object
  // exists, this number is one less. It must outlive this object.
  explicit UnattendedWork(std::atomic<int>* attended);

  // From now on the thread counts as being at work again. Waits as WorkScope's constructor does.
  // Does not return if the thread is stopped.
  ~UnattendedWork();
  UnattendedWork(const UnattendedWork&) = delete;
  UnattendedWork& operator=(const UnattendedWork&) = delete;

  // To be called between two passes. Does not return if the thread is to be stopped.
  static void StopIfExiting();

  // To be called at exit: stops all threads that the library started and that run passes. From then
  // on, such threads stop when they begin or end unattended work. An exit hook of this class calls
  // it, too, because threads may outlive their engine.
  static void StopForExit();

 private:
  friend class Gate;
  bool IsCurrent() const { return pthread_equal(id_, pthread_self()) != 0; }

  const pthread_t id_ = pthread_self();
  const bool is_unattended_;
  absl::Duration patience_ends_ = absl::InfiniteDuration();  // Set by the first thread that waits.
  std::atomic<int>* const attended_;
  std::optional<StoppableThread> own_thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_UNATTENDED_WORK_H_
