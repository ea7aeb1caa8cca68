// How a thread that is at work (WorkScope) waits for what another thread at work does. A fork need
// not wait for a thread that waits in this way: the thread does nothing, and holds nothing but a
// claim of a function or a WorkMutex, which the child gives back.
//
// So a client's callbacks may fork while other threads wait for the work that the callbacks are
// part of, and several callbacks may fork at the same time.
//
// Thread-safe. Tested in tests/runtime/awaited_work_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_AWAITED_WORK_H_
#define FIRSTCALL_RUNTIME_PROCESS_AWAITED_WORK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace firstcall {

class AwaitedWork {
 public:
  // Waits until `is_over` returns true, which is asked now and after each Tell, and until no fork
  // is in progress. `is_over` is called while the gate is locked (runtime/process/work_scope.cc):
  // it may lock only mutexes that no thread holds while it enters the gate, and must not wait.
  static void Wait(absl::FunctionRef<bool()> is_over);

  // Must be called after a change that `is_over` of another thread may depend on. Costs little if
  // nobody waits. The caller holds none of the locks that `is_over` takes.
  static void Tell();

  // The number of this thread, from 1 on. No other thread of this process has this number, and no
  // thread that a fork has left in the parent.
  static uint64_t OwnNumber();
  // Whether the thread of that number is in the process that this one was forked from, or in one of
  // its ancestors, and not in this one.
  static bool IsOfParent(uint64_t thread);
  // Whether that thread is in Wait. To be called by `is_over`.
  static bool IsWaiting(uint64_t thread);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_AWAITED_WORK_H_
