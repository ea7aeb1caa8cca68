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
  // Exit handlers that are registered after the first hook of the process run before the callback.
  explicit ExitHook(std::function<void()> callback);
  ~ExitHook();
  ExitHook(const ExitHook&) = delete;
  ExitHook& operator=(const ExitHook&) = delete;

  // Lets the callbacks run before the destructors of all objects with static lifetime that have
  // been made so far. Callbacks may compile, and LLVM makes such objects of its own the first time
  // it needs them; without this they would be gone by then.
  static void RunBeforeOlderObjectsGo();

  // What `exit` is for compiled code: the C library's, with the callbacks as early as they can be.
  [[noreturn]] static void Exit(int status);

 private:
  friend class ExitHookList;
  const std::function<void()> callback_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_EXIT_HOOK_H_
