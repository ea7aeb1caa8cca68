// Work of LLVM's that nobody waits for: optimizing a function, one pass of which may take a minute.
//
// The thread that does it is not at work meanwhile (see WorkScope), and must use only what is its
// own: a fork, a removal and the end of an engine wait for it for some milliseconds, because its
// result is worth having, and then go on without it. What the result is for may be gone then.
// When the process exits it is stopped.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_UNATTENDED_WORK_H_
#define FIRSTCALL_ENGINE_UNATTENDED_WORK_H_

#include <atomic>

#include "absl/time/time.h"
#include "engine/stoppable_thread.h"

namespace firstcall {

class UnattendedWork {
 public:
  // How long a result is waited for.
  static constexpr absl::Duration kPatience = absl::Milliseconds(5);

  // The thread is at work, in one scope or in several. If `attended` is not null it counts the
  // threads that work on something and are attended, this one among them, and lives on.
  explicit UnattendedWork(std::atomic<int>* attended);

  // The thread is at work again; it waits as if it began to be. Does not return if the process
  // exits.
  ~UnattendedWork();
  UnattendedWork(const UnattendedWork&) = delete;
  UnattendedWork& operator=(const UnattendedWork&) = delete;

  // Between two passes. Does not return if the process exits and the thread's work is unattended.
  static void StopIfExiting();

  // The process exits: unattended work stops, and none begins or ends any more. To be called by a
  // promoter's hook, and called anyway for work whose engine has gone.
  static void StopForExit();

 private:
  friend class Gate;
  std::atomic<int>* const attended_;
  StoppableThread thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_UNATTENDED_WORK_H_
