// Tells whoever wants to know that a counter of calls has run out: the promoter, for as long as
// there is one. Code goes on to count without it.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_CALL_RUN_OUTS_H_
#define FIRSTCALL_ENGINE_CALL_RUN_OUTS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/work_scope.h"
#include "stubs/call_counter.h"

namespace firstcall {

class CallRunOuts {
 public:
  using Handler = std::function<void(const CallCounter& counter)>;

  // `handler` runs at work (see WorkScope), on one thread at a time. Null: nobody wants to know,
  // and the last one does not run any more.
  void SetHandler(Handler handler) ABSL_LOCKS_EXCLUDED(mutex_) {
    const ForkScope scope;
    absl::MutexLock lock(&mutex_);
    handler_ = std::move(handler);
  }

  // In a signal handler that has interrupted the engine's work the counter only begins anew, to run
  // out soon.
  void Notice(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (WorkScope::IsInterrupted()) {
      counter.left().store(kNextTry, std::memory_order_relaxed);
      return;
    }
    WorkScope scope;
    absl::MutexLock lock(&mutex_);
    if (handler_ != nullptr) handler_(counter);
  }

 private:
  static constexpr int32_t kNextTry = 1000;

  absl::Mutex mutex_;
  Handler handler_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_CALL_RUN_OUTS_H_
