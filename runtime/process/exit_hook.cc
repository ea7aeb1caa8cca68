#include "runtime/process/exit_hook.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/any_stack.h"

namespace firstcall {

namespace {

struct Running {
  const ExitHook* hook;
  std::thread::id thread;
};

}  // namespace

// All hooks of the process. Never destroyed, because it is used while static objects are destroyed.
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

  // Runs each callback only once, so this may be registered as an exit handler several times.
  FIRSTCALL_ON_ANY_STACK static void RunAllHooks() { Get().RunAll(); }

  void Add(ExitHook* hook) {
    absl::MutexLock lock(&mutex_);
    hooks_.push_back(hook);
  }

  void Remove(ExitHook* hook) {
    absl::MutexLock lock(&mutex_);
    hooks_.erase(std::remove(hooks_.begin(), hooks_.end(), hook), hooks_.end());
    const auto is_left = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return std::none_of(running_.begin(), running_.end(), [&](const Running& running) {
        // A callback may destroy its own hook.
        return running.hook == hook && running.thread != std::this_thread::get_id();
      });
    };
    while (!is_left()) changed_.Wait(&mutex_);
  }

  void RunAll() {
    RunAtOnce();
    Run([](const ExitHook& hook) { return hook.when_ != ExitHook::When::kLast; });
    Run([](const ExitHook&) { return true; });
  }

  void RunAtOnce() {
    Run([](const ExitHook& hook) { return hook.when_ == ExitHook::When::kAtOnce; });
  }

 private:
  // The lock is not held while a callback runs, because the callback may compile, destroy hooks, or
  // exit.
  template <typename Wanted>
  void Run(Wanted wanted) {
    while (true) {
      std::function<void()> callback;
      {
        absl::MutexLock lock(&mutex_);
        auto found = std::find_if(hooks_.rbegin(), hooks_.rend(),
                                  [&](const ExitHook* hook) { return wanted(*hook); });
        if (found == hooks_.rend()) return;
        running_.push_back({*found, std::this_thread::get_id()});
        callback = std::move((*found)->callback_);
        hooks_.erase(std::next(found).base());
      }
      callback();
      absl::MutexLock lock(&mutex_);
      auto last = std::find_if(running_.rbegin(), running_.rend(), [](const Running& running) {
        return running.thread == std::this_thread::get_id();
      });
      running_.erase(std::next(last).base());
      changed_.SignalAll();
    }
  }

  absl::Mutex mutex_;
  std::vector<ExitHook*> hooks_ ABSL_GUARDED_BY(mutex_);
  std::vector<Running> running_ ABSL_GUARDED_BY(mutex_);
  absl::CondVar changed_;
};

namespace {

struct FirstThreadsEnd {
  FIRSTCALL_ON_ANY_STACK ~FirstThreadsEnd() {
    if (gettid() != getpid()) return;
    ExitHookList::Get().RunAtOnce();
    ExitHook::RunBeforeOlderObjectsGo();
  }
  void BeThere() {}
};
thread_local FirstThreadsEnd end_of_this_thread;

}  // namespace

ExitHook::ExitHook(std::function<void()> callback, When when)
    : callback_(std::move(callback)), when_(when) {
  ExitHookList::Get().Add(this);
  NoticeExitOnThisThread();
}

ExitHook::~ExitHook() { ExitHookList::Get().Remove(this); }

void ExitHook::RunBeforeOlderObjectsGo() { std::atexit(ExitHookList::RunAllHooks); }

void ExitHook::NoticeExitOnThisThread() { end_of_this_thread.BeThere(); }

FIRSTCALL_ON_ANY_STACK void ExitHook::Exit(int status) {
  ExitHookList::Get().RunAtOnce();
  RunBeforeOlderObjectsGo();
  std::exit(status);
}

}  // namespace firstcall
