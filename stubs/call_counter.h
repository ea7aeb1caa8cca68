// Counts the calls of a body that may be replaced by an optimized one. The stub's slot leads to a
// counter instead of the body, and the counter passes each call on to the body. The body needs no
// code for that. Once the slot leads to a body directly, calls are no longer counted.
//
// A counter has run out when a call finds 0 left to count. The thread of that call calls the
// handler of the counters before it enters the body.
//
// Thread-safe. Counting is not atomic: if several threads call at the same time, one may write back
// a value that it read before another one wrote. So counts may be lost; several threads may find
// the same 0 and each call the handler; and a call that is counting may overwrite a value that was
// just set, which then has to be set again later. But calls alone never take the value below 0
// unless one of them calls the handler.

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
#include "stubs/code_block.h"
#include "stubs/reentry.h"
#include "stubs/stub_architecture.h"

namespace firstcall {

// A counter in a block. Copyable; valid until it is freed.
class CallCounter {
 public:
  CallCounter() = default;

  // The code that counts. A call of it changes no register that a calling convention uses.
  ExecutorAddress address() const { return address_; }

  // From now on calls continue to `body`. Must be set before the first call.
  void GoOnTo(ExecutorAddress body) const {
    target_->store(body.value(), std::memory_order_release);
  }

  // The number of calls left to count. The call that takes it from 0 to -1 calls the handler.
  // Further calls count on downwards and do not call the handler, until the value is set to 0 or
  // more, or has wrapped after 2^32 calls.
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
  // Called with the counter, on the thread and the stack of a call that finds 0 left to count,
  // before the call continues. The handler may set the counter and its body, and must not throw. It
  // may be called on several threads at the same time, and wherever the program calls a function,
  // including its signal handlers.
  using RunOutHandler = std::function<void(const CallCounter& counter)>;

  // `handler` may be empty. `announce` is told of blocks of counters.
  CallCounters(const StubArchitecture& architecture, std::shared_ptr<ArenaMemory> memory,
               std::shared_ptr<UnwindRegistry> unwind_registry, RunOutHandler handler,
               CodeBlock::Announce announce = {});
  ~CallCounters();
  CallCounters(const CallCounters&) = delete;
  CallCounters& operator=(const CallCounters&) = delete;

  // Makes a counter with `left` calls to count. ResourceExhausted if the arena is full; then
  // nothing has changed.
  absl::StatusOr<CallCounter> Make(int32_t left) ABSL_LOCKS_EXCLUDED(mutex_);

  // No thread may call the counter any more, or be executing it.
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
  const CodeBlock::Announce announce_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ ABSL_GUARDED_BY(mutex_);
  std::vector<CallCounter> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_CALL_COUNTER_H_
