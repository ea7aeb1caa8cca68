// The engine's own memory manager. It consists of arenas, within a budget: when the last arena is
// full, another one is reserved. When the first one is full, what must be near it goes to arenas
// beside it, as long as addresses are free there.
//
// Thread-safe.

#ifndef FIRSTCALL_MEMORY_ARENA_MEMORY_H_
#define FIRSTCALL_MEMORY_ARENA_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/arena.h"
#include "memory/memory_manager.h"
#include "memory/page_mapper.h"

namespace firstcall {

struct ArenaMemoryOptions {
  ArenaSizes sizes = ArenaSizes::Default();  // For each arena, unless an object needs a larger one.
  size_t budget = SIZE_MAX;                  // Bytes that may be allocated at any time.
  // Told of each block that was allocated (its bytes) or is about to be freed (minus its bytes),
  // while no lock of the memory is held. Thread-safe; may be empty.
  std::function<void(int64_t change)> observer = nullptr;
};

struct MemoryUsage : ArenaUsage {
  size_t arenas = 0;
};

class ArenaMemory final : public MemoryManager {
 public:
  // Reserves the first arena. Errors as Arena::Create.
  static absl::StatusOr<std::shared_ptr<ArenaMemory>> Create(std::shared_ptr<PageMapper> mapper,
                                                             const ArenaMemoryOptions& options);

  // The arena of the stubs, and of everything that must be within their reach, until that is full.
  // Never changes.
  const Arena& first() const { return *first_; }
  // An address in the first arena, for MemoryRequest::near.
  ExecutorAddress near_first() const { return near_first_; }

  // If `near` is given, allocates from the arena that contains it; or if that is the first one and
  // full, from a small arena within reach of the first one and of all others beside it; or if no
  // arena contains `near`, from a small arena within its reach. Otherwise allocates from the last
  // arena if that has room for the object, or else from a new arena. ResourceExhausted as for
  // Arena::Allocate, or if the budget is used up or no addresses are free within reach.
  absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Free(absl::Span<const MemoryBlock> blocks) override ABSL_LOCKS_EXCLUDED(mutex_);

  MemoryUsage usage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ArenaMemory(std::shared_ptr<PageMapper> mapper, const ArenaMemoryOptions& options,
              std::unique_ptr<Arena> first);
  absl::StatusOr<std::unique_ptr<Arena>> CreateArena(const ArenaSizes& sizes,
                                                     const SegmentSizes& least,
                                                     ExecutorAddress near) const;
  absl::StatusOr<Arena*> ArenaFor(const MemoryRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Arena*> ArenaNear(const MemoryRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Arena*> ArenaBesideFirst(const MemoryRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  Arena* ArenaOf(ExecutorAddress address) const ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveBackIfUnused(const Arena* arena) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<PageMapper> mapper_;
  const ArenaMemoryOptions options_;
  Arena* const first_;
  const ExecutorAddress near_first_;
  std::atomic<size_t> used_{0};
  mutable absl::Mutex mutex_;
  std::vector<std::unique_ptr<Arena>> arenas_ ABSL_GUARDED_BY(mutex_);
  // Those of arenas_ that were made for one large object each, and go with it.
  absl::flat_hash_set<const Arena*> of_large_objects_ ABSL_GUARDED_BY(mutex_);
  Arena* last_ ABSL_GUARDED_BY(mutex_);  // For objects that need not be near anything.
  std::vector<Arena*> small_ ABSL_GUARDED_BY(mutex_);  // Near memory that another manager provided.
  std::vector<Arena*> beside_first_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_ARENA_MEMORY_H_
