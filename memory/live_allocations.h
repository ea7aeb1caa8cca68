// The finalized allocations that have actions to run at their end; for implementations of
// PageMapper.
//
// Thread-safe. Actions run on the thread that deallocates, while no lock is held.

#ifndef FIRSTCALL_MEMORY_LIVE_ALLOCATIONS_H_
#define FIRSTCALL_MEMORY_LIVE_ALLOCATIONS_H_

#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/page_mapper.h"

namespace firstcall {

class LiveAllocations {
 public:
  using AllocationId = PageMapper::AllocationId;

  // The destructor runs no actions of allocations that were not deallocated.
  LiveAllocations() = default;
  LiveAllocations(const LiveAllocations&) = delete;
  LiveAllocations& operator=(const LiveAllocations&) = delete;

  // Adds an allocation of the slab that begins at `slab`. Identifiers are unique.
  AllocationId Add(ExecutorAddress slab, absl::Span<const ExecutorAction> when_deallocated)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the actions for the end of each allocation once: the last allocation first, and of each
  // the last action first. Ignores unknown allocations.
  void Deallocate(absl::Span<const AllocationId> allocations) ABSL_LOCKS_EXCLUDED(mutex_);

  // Deallocates all remaining allocations of a slab, the one that was added last first.
  void DeallocateAll(ExecutorAddress slab) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Live {
    ExecutorAddress slab;
    std::vector<ExecutorAction> when_deallocated;
  };

  absl::Mutex mutex_;
  AllocationId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  // Only those that have actions.
  absl::btree_map<AllocationId, Live> allocations_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_LIVE_ALLOCATIONS_H_
