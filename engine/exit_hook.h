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

 private:
  friend class ExitHookList;
  const std::function<void()> callback_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_EXIT_HOOK_H_
