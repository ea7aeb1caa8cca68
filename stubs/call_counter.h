// Counts calls on their way from a stub to a body that something better may come after: a stub is
// published to a counter in place of the body. Nothing has to be compiled for that, and nothing is
// counted any more once the stub is published to a body directly.
//
// Thread-safe. Threads that call at the same time may lose counts, and nothing else.

#ifndef FIRSTCALL_STUBS_CALL_COUNTER_H_
#define FIRSTCALL_STUBS_CALL_COUNTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"
#include "stubs/code_block.h"
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

  // What is left to count: becomes negative, and wraps, unless somebody sets it.
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
  CallCounters(const StubArchitecture& architecture, std::shared_ptr<ArenaMemory> memory,
               std::shared_ptr<UnwindRegistry> unwind_registry);
  CallCounters(const CallCounters&) = delete;
  CallCounters& operator=(const CallCounters&) = delete;

  // A counter with `left` to count. ResourceExhausted if the arena is full; nothing has changed
  // then.
  absl::StatusOr<CallCounter> Make(int32_t left) ABSL_LOCKS_EXCLUDED(mutex_);

  // Nobody may call it any more, or be on its way through it.
  void Free(const CallCounter& counter) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const StubArchitecture& architecture_;
  const std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<CodeBlock>> blocks_ ABSL_GUARDED_BY(mutex_);
  std::vector<CallCounter> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_CALL_COUNTER_H_
