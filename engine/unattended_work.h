// Work of LLVM's that nobody waits for: optimizing a function, one pass of which may take a minute.
//
// The thread that does it is not at work meanwhile (see WorkScope), and must use only what is its
// own: a fork, a removal and the end of an engine wait for it for some milliseconds, because its
// result is worth having, and then go on without it. What the result is for may be gone then.
// When the process exits it is stopped, if its thread is one of the library's own; a thread of
// the program's goes on, and is waited for like one that is at work.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_UNATTENDED_WORK_H_
#define FIRSTCALL_ENGINE_UNATTENDED_WORK_H_

#include <pthread.h>

#include <atomic>
#include <optional>

#include "absl/time/time.h"
#include "engine/stoppable_thread.h"

namespace firstcall {

class UnattendedWork {
 public:
  // How long a result is waited for.
  static constexpr absl::Duration kPatience = absl::Milliseconds(5);

  // The thread is at work. If it is so in an outer scope, too, the work stays attended, because
  // that one may be in the middle of something else. For a thread of the library's own `attended`
  // counts those that work on something and are attended, this one among them, and lives on; null
  // for one of the program's.
  explicit UnattendedWork(std::atomic<int>* attended);

  // The thread is at work again; it waits as if it began to be. Does not return if it is stopped.
  ~UnattendedWork();
  UnattendedWork(const UnattendedWork&) = delete;
  UnattendedWork& operator=(const UnattendedWork&) = delete;

  // Between two passes. Does not return if the thread is to be stopped.
  static void StopIfExiting();

  // The process exits: unattended work stops, and none begins or ends any more. To be called by a
  // promoter's hook, and called anyway for work whose engine has gone.
  static void StopForExit();

 private:
  friend class Gate;
  bool IsCurrent() const { return pthread_equal(id_, pthread_self()) != 0; }

  const pthread_t id_ = pthread_self();
  const bool is_unattended_;
  absl::Duration patience_ends_ = absl::InfiniteDuration();  // Once somebody waits.
  std::atomic<int>* const attended_;
  std::optional<StoppableThread> own_thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_UNATTENDED_WORK_H_
