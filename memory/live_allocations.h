// Which finalized allocations have something to do in the end, for implementations of PageMapper.
//
// Thread-safe. Actions run on the thread that deallocates, with nothing locked.

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

  // What was not deallocated by then is forgotten, and does nothing.
  LiveAllocations() = default;
  LiveAllocations(const LiveAllocations&) = delete;
  LiveAllocations& operator=(const LiveAllocations&) = delete;

  // A new allocation of the slab that begins there. No two have the same id.
  AllocationId Add(ExecutorAddress slab, absl::Span<const ExecutorAction> when_deallocated)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs what is to be run in the end, each once: the last allocation first, and of each the last
  // action. Ignores those it does not know.
  void Deallocate(absl::Span<const AllocationId> allocations) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for all that are left of a slab, the one that was added last first.
  void DeallocateAll(ExecutorAddress slab) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Live {
    ExecutorAddress slab;
    std::vector<ExecutorAction> when_deallocated;
  };

  absl::Mutex mutex_;
  AllocationId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  // Those that have something to do.
  absl::btree_map<AllocationId, Live> allocations_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_LIVE_ALLOCATIONS_H_
