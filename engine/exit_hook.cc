#include "engine/exit_hook.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace firstcall {

// The hooks of the process. Never destroyed: it is used while static objects are.
class ExitHookList {
 public:
  static ExitHookList& Get() {
    static ExitHookList* const list = [] {
      auto* made = new ExitHookList();
      std::atexit(RunAllHooks);
      return made;
    }();
    return *list;
  }

  // Does nothing when it has been done; so it may be registered as an exit handler several times.
  static void RunAllHooks() { Get().RunAll(); }

  void Add(ExitHook* hook) {
    absl::MutexLock lock(&mutex_);
    hooks_.push_back(hook);
  }

  void Remove(ExitHook* hook) {
    absl::MutexLock lock(&mutex_);
    hooks_.erase(std::remove(hooks_.begin(), hooks_.end(), hook), hooks_.end());
  }

 private:
  // Without the lock while a callback runs: it may compile, and destroy hooks.
  void RunAll() {
    while (true) {
      ExitHook* hook;
      {
        absl::MutexLock lock(&mutex_);
        if (hooks_.empty()) return;
        hook = hooks_.back();
        hooks_.pop_back();
      }
      hook->callback_();
    }
  }

  absl::Mutex mutex_;
  std::vector<ExitHook*> hooks_ ABSL_GUARDED_BY(mutex_);
};

ExitHook::ExitHook(std::function<void()> callback) : callback_(std::move(callback)) {
  ExitHookList::Get().Add(this);
}

void ExitHook::RunBeforeOlderObjectsGo() { std::atexit(ExitHookList::RunAllHooks); }

void ExitHook::Exit(int status) {
  RunBeforeOlderObjectsGo();
  std::exit(status);
}

ExitHook::~ExitHook() { ExitHookList::Get().Remove(this); }

}  // namespace firstcall
