// Makes stubs and publishes the bodies that they lead to.
//
// A retired stub still works, because code may have kept its address: until the stub is reused, its
// calls go to the handler with the stub's last owner. The stub that was retired first is reused
// first. So many others have been retired by then that its old address is unlikely to be still in
// use.
//
// Thread-safe. Reading a slot, which is what calling a stub does, takes no lock.

#ifndef FIRSTCALL_STUBS_STUB_TABLE_H_
#define FIRSTCALL_STUBS_STUB_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/arena_memory.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"
#include "stubs/code_block.h"
#include "stubs/reentry.h"
#include "stubs/stub_architecture.h"

namespace firstcall {

// A stub in a block. Copyable; valid until it is retired.
class Stub {
 public:
  Stub() = default;

  // The function's identity: never changes.
  ExecutorAddress address() const { return address_; }

  // From now on calls of the stub go to `body`. A caller sees everything that was written before.
  void Publish(ExecutorAddress body) const {
    slot_->store(body.value(), std::memory_order_release);
  }

  // From now on calls that have not reached a body go to the handler with `owner`, which must exist
  // until the stub has another owner and no such call is left.
  void SetOwner(void* owner) const { owner_->store(owner, std::memory_order_release); }

 private:
  friend class StubTable;
  Stub(ExecutorAddress address, std::atomic<uint64_t>* slot, ExecutorAddress lead,
       std::atomic<void*>* owner)
      : address_(address), slot_(slot), lead_(lead), owner_(owner) {}

  ExecutorAddress address_;
  std::atomic<uint64_t>* slot_ = nullptr;
  ExecutorAddress lead_;  // The slot's value while the stub is not published.
  std::atomic<void*>* owner_ = nullptr;
};

class StubTable {
 public:
  // Called on the thread that has called an unpublished stub, with the stub's owner. The owner may
  // change during the call unless something prevents that. Returns the address at which the call
  // continues. May throw an exception.
  using FirstCallHandler = ExecutorAddress (*)(const std::atomic<void*>& owner);

  // Retired stubs are reused only while there are more of them than this.
  static constexpr size_t kKeptRetired = 1024;

  // `announce` is told of blocks of stubs.
  StubTable(const StubArchitecture& architecture, std::shared_ptr<ArenaMemory> memory,
            std::shared_ptr<UnwindRegistry> unwind_registry, FirstCallHandler handler,
            CodeBlock::Announce announce = {});
  ~StubTable();
  StubTable(const StubTable&) = delete;
  StubTable& operator=(const StubTable&) = delete;

  // Makes a stub. Until it is published, its calls go to the handler with `owner`.
  // ResourceExhausted if the arena is full; then nothing has changed.
  absl::StatusOr<Stub> Make(void* owner) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on calls of the stub go to the handler with `last_owner`, which is released when the
  // stub is reused. No thread may be calling the stub when it is reused.
  void Retire(const Stub& stub, std::shared_ptr<void> last_owner) ABSL_LOCKS_EXCLUDED(mutex_);

  // From now on calls of the stub go to `body`, for as long as this table exists. `last_owner` is
  // for calls that have left the stub before.
  void Redirect(const Stub& stub, std::shared_ptr<void> last_owner, ExecutorAddress body)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of stubs that are not retired.
  size_t size() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Block;
  struct Retired {
    Stub stub;
    std::shared_ptr<void> owner;
  };

  std::optional<Stub> TakeRetired() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status AddBlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static ExecutorAddress Resolve(ReentryContext& context, uint64_t index);

  const StubArchitecture& architecture_;
  const std::shared_ptr<ArenaMemory> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  const FirstCallHandler handler_;
  const CodeBlock::Announce announce_;
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_ ABSL_GUARDED_BY(mutex_);
  size_t made_ ABSL_GUARDED_BY(mutex_) = 0;
  std::deque<Retired> retired_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<void>> owners_of_redirected_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_STUB_TABLE_H_
