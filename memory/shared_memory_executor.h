// The executing side of shared memory: reserves addresses, maps there what another process writes,
// protects it and runs it. What the other process asks arrives through executor_service.
//
// Pages cannot be accessed here until they are finalized; none is ever writable and executable.
//
// Thread-safe. Errors: ResourceExhausted, what the system refuses; FailedPrecondition, no such
// slab; InvalidArgument, a range that does not lie in it.

#ifndef FIRSTCALL_MEMORY_SHARED_MEMORY_EXECUTOR_H_
#define FIRSTCALL_MEMORY_SHARED_MEMORY_EXECUTOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/live_allocations.h"
#include "memory/page_mapper.h"

namespace firstcall {

class SharedMemoryExecutor {
 public:
  using AllocationId = PageMapper::AllocationId;

  SharedMemoryExecutor() = default;
  // Releases every slab. No code in them may be on any stack.
  ~SharedMemoryExecutor();
  SharedMemoryExecutor(const SharedMemoryExecutor&) = delete;
  SharedMemoryExecutor& operator=(const SharedMemoryExecutor&) = delete;

  absl::StatusOr<ExecutorAddress> Reserve(size_t size, ExecutorAddress near)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Maps the shared memory object of that name, from its beginning, to `pages`, one after the
  // other, in the place of what is there. The name is gone after this.
  absl::Status Map(ExecutorAddress slab, absl::string_view object,
                   absl::Span<const SlabRange> pages) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives the pages that segments lie in their protection, and runs the actions. Changes nothing
  // for code that runs in a page that has its protection already.
  absl::StatusOr<AllocationId> Finalize(ExecutorAddress slab, const Allocation& allocation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs what was to be run in the end, the last allocation first. Ignores those it does not know.
  void Deallocate(absl::Span<const AllocationId> allocations) ABSL_LOCKS_EXCLUDED(mutex_);

  // Deallocates what of the slab has not been, and unmaps it.
  absl::Status Release(ExecutorAddress slab) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Where the range begins.
  absl::StatusOr<uint8_t*> AddressOf(ExecutorAddress slab, const SlabRange& range) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Held while pages are mapped and protected, so that nobody does so where a slab was; not while
  // actions run.
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint64_t, size_t> slabs_ ABSL_GUARDED_BY(mutex_);  // Address to size.
  LiveAllocations allocations_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SHARED_MEMORY_EXECUTOR_H_
