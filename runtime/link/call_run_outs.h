// Tells the promoter that a call counter has run out. A class of its own, because compiled code and
// its counters may outlive the promoter.
//
// Thread-safe. Tested in tests/api/promotion_lifetime_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_CALL_RUN_OUTS_H_
#define FIRSTCALL_RUNTIME_LINK_CALL_RUN_OUTS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "runtime/process/work_scope.h"
#include "stubs/call_counter.h"

namespace firstcall {

class CallRunOuts {
 public:
  using Handler = std::function<void(const CallCounter& counter)>;

  // `handler` is called inside a WorkScope, by one thread at a time. Null removes the previous
  // handler. When this returns, the previous handler is not running and will not be called.
  void SetHandler(Handler handler) ABSL_LOCKS_EXCLUDED(mutex_) {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    handler_ = std::move(handler);
  }

  // Calls the handler, unless the process's work is over (WorkScope::WhenOver). In a signal handler
  // that has interrupted the engine's work, which may hold the mutex, only sets the counter to run
  // out again soon.
  void Notice(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (WorkScope::IsInterrupted()) {
      counter.left().store(kNextTry, std::memory_order_relaxed);
      return;
    }
    const WorkScope scope(WorkScope::WhenOver::kForget);
    if (!scope.is_at_work()) return;
    absl::MutexLock lock(&mutex_);
    if (handler_ != nullptr) handler_(counter);
  }

 private:
  static constexpr int32_t kNextTry = 1000;

  absl::Mutex mutex_;
  Handler handler_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_CALL_RUN_OUTS_H_
