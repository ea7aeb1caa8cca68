// Runs a callback when the process exits by exit() or by returning from main, unless the hook was
// destroyed before. Of one kind (When), callbacks run in the reverse order in which their hooks
// were created.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_PROCESS_EXIT_HOOK_H_
#define FIRSTCALL_RUNTIME_PROCESS_EXIT_HOOK_H_

#include <functional>

namespace firstcall {

class ExitHook {
 public:
  enum class When {
    // As an exit handler: handlers that were registered after the first hook of the process run
    // before this callback, unless exit is noticed earlier (see NoticeExitOnThisThread).
    kInOrder,
    // As soon as exit is noticed, before all kInOrder callbacks. For ending background work. A
    // compile that is still in progress may construct static objects of LLVM; these are destroyed
    // before older exit handlers run.
    kAtOnce,
    // After all callbacks of other kinds that there are.
    kLast,
  };
  explicit ExitHook(std::function<void()> callback, When when = When::kInOrder);
  // If another thread is running the callback, waits for it.
  ~ExitHook();
  ExitHook(const ExitHook&) = delete;
  ExitHook& operator=(const ExitHook&) = delete;

  // Makes the callbacks run before the destructors of all static objects that exist now. Callbacks
  // may compile, and LLVM constructs static objects when it first needs them; without this call
  // they would be destroyed before the callbacks run.
  static void RunBeforeOlderObjectsGo();

  // If this is the first thread of the process: makes the callbacks run before all exit handlers
  // when this thread exits. (The thread's own objects are destroyed before static ones: C++17,
  // [support.start.term]. Other threads may end while the process goes on, so this does nothing for
  // them. If the first thread ends by pthread_exit, the kAtOnce callbacks run then.)
  static void NoticeExitOnThisThread();

  // The `exit` of compiled code: runs the callbacks as early as possible, and exits. The caller's
  // stack need not be aligned.
  [[noreturn]] static void Exit(int status);

 private:
  friend class ExitHookList;
  std::function<void()> callback_;
  const When when_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_EXIT_HOOK_H_
