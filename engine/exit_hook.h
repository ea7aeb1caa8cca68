// Runs a callback when the process exits by exit() or by returning from main, unless the hook was
// destroyed before. Callbacks run in the opposite order of their hooks' creation.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_EXIT_HOOK_H_
#define FIRSTCALL_ENGINE_EXIT_HOOK_H_

#include <functional>

namespace firstcall {

class ExitHook {
 public:
  enum class When {
    // Exit handlers that are registered after the first hook of the process run before it, unless
    // exit is noticed (see NoticeExitOnThisThread).
    kInOrder,
    // As soon as exit is noticed, and before all in order: for ending what runs in the background.
    // What is still compiled then makes objects of LLVM's with static lifetime, which are destroyed
    // before all older exit handlers run.
    kAtOnce,
  };
  explicit ExitHook(std::function<void()> callback, When when = When::kInOrder);
  // Waits for the callback if another thread runs it.
  ~ExitHook();
  ExitHook(const ExitHook&) = delete;
  ExitHook& operator=(const ExitHook&) = delete;

  // Lets the callbacks run before the destructors of all objects with static lifetime that have
  // been made so far. Callbacks may compile, and LLVM makes such objects of its own the first time
  // it needs them; without this they would be gone by then.
  static void RunBeforeOlderObjectsGo();

  // If this is the process's first thread: lets the callbacks run before all exit handlers when it
  // exits. (Destroying a thread's objects comes before that of static ones: C++17, [support.start.
  // term]. Other threads end without the process, so that theirs say nothing. Where the first
  // thread ends by pthread_exit the callbacks that are to run at once run then.)
  static void NoticeExitOnThisThread();

  // What `exit` is for compiled code: the C library's, with the callbacks as early as they can be.
  // As with that one, the stack of the caller need not be aligned.
  [[noreturn]] static void Exit(int status);

 private:
  friend class ExitHookList;
  std::function<void()> callback_;
  const When when_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_EXIT_HOOK_H_
