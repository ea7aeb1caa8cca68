// A memory manager that calls a client's callbacks and has the engine's own manager behind them.
//
// Thread-safe if the callbacks are.

#ifndef FIRSTCALL_CLIENTS_CAPI_CLIENT_MEMORY_H_
#define FIRSTCALL_CLIENTS_CAPI_CLIENT_MEMORY_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "clients/capi/firstcall.h"
#include "memory/memory_manager.h"

// The engine's own manager, with a record of which of its blocks belong to the engine and which to
// the client. Thread-safe.
struct fc_own_memory {
 public:
  explicit fc_own_memory(std::shared_ptr<firstcall::MemoryManager> memory)
      : memory_(std::move(memory)) {}

  // Allocates a block for the client (`is_for_client`) or for the engine.
  absl::StatusOr<firstcall::MemoryBlock> Allocate(const firstcall::MemoryRequest& request,
                                                  bool is_for_client) ABSL_LOCKS_EXCLUDED(mutex_);

  // Called when a callback has returned `block`. If fc_own_allocate allocated it for the client, it
  // belongs to the engine from now on, and the result is true.
  bool HandOver(const firstcall::MemoryBlock& block) ABSL_LOCKS_EXCLUDED(mutex_);

  bool IsEngines(const firstcall::MemoryBlock& block) const ABSL_LOCKS_EXCLUDED(mutex_);

  // InvalidArgument for a block that belongs neither to the engine nor to the client.
  absl::Status Finalize(const firstcall::MemoryBlock& block) ABSL_LOCKS_EXCLUDED(mutex_);

  // Ignores a block that does not belong to the client (if `is_for_client`) or the engine (if not).
  void Free(const firstcall::MemoryBlock& block, bool is_for_client) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The number of blocks by address and size: empty blocks may share an address.
  using Blocks = absl::flat_hash_map<std::pair<uint64_t, size_t>, size_t>;
  static std::pair<uint64_t, size_t> KeyOf(const firstcall::MemoryBlock& block) {
    return {block.run.value(), block.size};
  }
  static bool Take(Blocks& blocks, const firstcall::MemoryBlock& block);

  const std::shared_ptr<firstcall::MemoryManager> memory_;
  mutable absl::Mutex mutex_;
  Blocks engines_ ABSL_GUARDED_BY(mutex_);
  Blocks clients_ ABSL_GUARDED_BY(mutex_);
};

namespace firstcall::capi {

// A client's callbacks. The destructor calls `destroy`.
class MemoryCallbacks {
 public:
  explicit MemoryCallbacks(const fc_memory_manager& callbacks) : callbacks_(callbacks) {}
  ~MemoryCallbacks() {
    if (callbacks_.destroy != nullptr) callbacks_.destroy(callbacks_.user_data);
  }
  MemoryCallbacks(const MemoryCallbacks&) = delete;
  MemoryCallbacks& operator=(const MemoryCallbacks&) = delete;

  const fc_memory_manager& operator*() const { return callbacks_; }

 private:
  const fc_memory_manager callbacks_;
};

class ClientMemory final : public MemoryManager {
 public:
  ClientMemory(std::shared_ptr<const MemoryCallbacks> callbacks,
               std::shared_ptr<MemoryManager> engines_own)
      : callbacks_(std::move(callbacks)), own_(std::move(engines_own)) {}

  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override;
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override;
  void Free(absl::Span<const MemoryBlock> blocks) override;

 private:
  std::vector<fc_memory_block> Describe(absl::Span<const MemoryBlock> blocks) const;
  absl::StatusOr<MemoryBlock> Check(const fc_memory_block& block, const MemoryRequest& request);

  const std::shared_ptr<const MemoryCallbacks> callbacks_;
  fc_own_memory own_;
};

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_CLIENT_MEMORY_H_
