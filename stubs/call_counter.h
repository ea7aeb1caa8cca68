// Counts calls on their way from a stub to a body that something better may come after: a stub is
// published to a counter in place of the body. Nothing has to be compiled for that, and nothing is
// counted any more once the stub is published to a body directly.
//
// A counter has run out when a call finds nothing left to count. That call, on its thread, calls
// the handler of the counters on its way to the body.
//
// Thread-safe. Counting is not atomic: of threads that call at the same time one may write back
// what it read before another wrote. So counts may be lost; several threads may find the same 0
// left and call the handler each; and a value that somebody sets may be overwritten at once by the
// count that goes on down, so that it has to be set again later. What cannot happen is that calls
// alone take what is left below 0 and none of them calls the handler.

#ifndef FIRSTCALL_STUBS_CALL_COUNTER_H_
#define FIRSTCALL_STUBS_CALL_COUNTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"
#include "stubs/reentry.h"
#include "stubs/stub_architecture.h"

namespace firstcall {

// A counter that was made. Copyable; valid until it is freed.
class CallCounter {
 public:
  CallCounter() = default;

  // What counts: calls of it change no register that a calling convention uses.
  ExecutorAddress address() const { return address_; }

  // From now on calls go on to `body`. It must be set before the first call.
  void GoOnTo(ExecutorAddress body) const {
    target_->store(body.value(), std::memory_order_release);
  }

  // What is left to count. The call that takes it from 0 to -1 calls the handler; it goes on down
  // then, and no call calls the handler again until somebody has set it to 0 or more, or until it
  // has wrapped after 2^32 calls.
  std::atomic<int32_t>& left() const { return *left_; }

 private:
  friend class CallCounters;
  CallCounter(ExecutorAddress address, std::atomic<uint64_t>* target, std::atomic<int32_t>* left)
      : address_(address), target_(target), left_(left) {}

  ExecutorAddress address_;
  std::atomic<uint64_t>* target_ = nullptr;
  std::atomic<int32_t>* left_ = nullptr;
};

class CallCounters {
 public:
  // Called on the thread and the stack of a call that finds nothing left to count, with the
  // counter, before the call goes on to the body that the counter then has. May set what is left.
  // Must not throw. May be called on many threads at a time, and wherever the program calls a
  // function, which includes its signal handlers.
  using RunOutHandler = std::function<void(const CallCounter& counter)>;

  // An empty handler is not called.
  CallCounters(const StubArchitecture& architecture, std::shared_ptr<ArenaMemory> memory,
               std::shared_ptr<UnwindRegistry> unwind_registry, RunOutHandler handler);
  ~CallCounters();
  CallCounters(const CallCounters&) = delete;
  CallCounters& operator=(const CallCounters&) = delete;

  // A counter with `left` to count. ResourceExhausted if the arena is full; nothing has changed
  // then.
  absl::StatusOr<CallCounter> Make(int32_t left) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nobody may call it any more, or be on its way through it.
  void Free(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Block;

  absl::Status AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  CallCounter CounterOf(const Block& block, size_t index) const;
  static ExecutorAddress Resolve(ReentryContext& context, uint64_t index);

  const StubArchitecture& architecture_;
  const std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  const RunOutHandler handler_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ ABSL_GUARDED_BY(mutex_);
  std::vector<CallCounter> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_CALL_COUNTER_H_
