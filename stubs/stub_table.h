// Makes stubs and publishes what they lead to.
//
// Thread-safe. Reading a slot, which is what calling a stub does, takes no lock.

#ifndef FIRSTCALL_STUBS_STUB_TABLE_H_
#define FIRSTCALL_STUBS_STUB_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"
#include "stubs/reentry.h"
#include "stubs/stub_architecture.h"

namespace firstcall {

// A stub that was made. Copyable; valid as long as its table.
class Stub {
 public:
  Stub() = default;

  // The function's identity: never changes.
  ExecutorAddress address() const { return address_; }

  // From now on calls of the stub go to `body`. Everything written before is seen by who calls it.
  void Publish(ExecutorAddress body) const {
    slot_->store(body.value(), std::memory_order_release);
  }

 private:
  friend class StubTable;
  Stub(ExecutorAddress address, std::atomic<uint64_t>* slot) : address_(address), slot_(slot) {}

  ExecutorAddress address_;
  std::atomic<uint64_t>* slot_ = nullptr;
};

class StubTable {
 public:
  // Called on the thread that called a stub that is not published, with the stub's owner. Returns
  // where that call shall go. May leave by an exception.
  using FirstCallHandler = ExecutorAddress (*)(void* owner);

  // All must outlive the table.
  StubTable(const StubArchitecture& architecture, Arena& arena, UnwindRegistry& unwind_registry,
            FirstCallHandler handler);
  ~StubTable();
  StubTable(const StubTable&) = delete;
  StubTable& operator=(const StubTable&) = delete;

  // A new stub, whose calls ask the handler with `owner` until it is published. ResourceExhausted
  // if the arena is full.
  absl::StatusOr<Stub> Make(void* owner) ABSL_LOCKS_EXCLUDED(mutex_);

  // Number of stubs made.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Block;

  absl::Status AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static ExecutorAddress Resolve(ReentryContext& context, uint64_t index);

  const StubArchitecture& architecture_;
  Arena& arena_;
  UnwindRegistry& unwind_registry_;
  const FirstCallHandler handler_;
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ ABSL_GUARDED_BY(mutex_);
  size_t size_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_STUB_TABLE_H_
