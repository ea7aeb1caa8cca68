// The executing process's side of shared memory. Reserves addresses, maps the pages that the
// compiling process writes to them, and protects them. Requests arrive through executor_service.
//
// Pages cannot be accessed here until they are finalized. No page is ever writable and executable.
//
// Thread-safe. Errors: ResourceExhausted if the system refuses something; FailedPrecondition if
// there is no such slab; InvalidArgument for a range that is not in the slab, or for pages that do
// not fit the shared memory object. Tested in tests/services/executor/executor_service_test.cc.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_EXECUTOR_H_
#define FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_EXECUTOR_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/live_allocations.h"
#include "memory/page_mapper.h"
#include "memory/unwinder.h"

namespace firstcall {

class SharedMemoryExecutor {
 public:
  using AllocationId = PageMapper::AllocationId;

  SharedMemoryExecutor() = default;
  // Releases every slab. No thread may have a frame of code in them on its stack.
  ~SharedMemoryExecutor();
  SharedMemoryExecutor(const SharedMemoryExecutor&) = delete;
  SharedMemoryExecutor& operator=(const SharedMemoryExecutor&) = delete;

  absl::StatusOr<ExecutorAddress> Reserve(size_t size, ExecutorAddress near)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Maps the shared memory object named `object`, from its beginning, to the ranges `pages` in
  // their order. Replaces earlier mappings of these ranges. Removes the object's name.
  absl::Status Map(ExecutorAddress slab, absl::string_view object,
                   absl::Span<const SlabRange> pages) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives the pages that contain the segments their protection, and runs the actions. Does not
  // disturb code that is running in a page that already has its protection.
  absl::StatusOr<AllocationId> Finalize(ExecutorAddress slab, const Allocation& allocation)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the actions for the end of each allocation, the last allocation first. Ignores unknown
  // allocations.
  void Deallocate(absl::Span<const AllocationId> allocations) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes an unwind table known to the unwinders of this process, once the pages that it lies in
  // are finalized (an unwinder may read it at once), and until it is withdrawn or its slab is
  // released. FailedPrecondition if it is in no slab.
  absl::Status RegisterUnwindTable(const UnwindTable& table) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ignores tables that are not registered.
  void WithdrawUnwindTables(absl::Span<const UnwindTable> tables) ABSL_LOCKS_EXCLUDED(mutex_);

  // Deallocates the slab's remaining allocations, withdraws its unwind tables, and unmaps the slab.
  absl::Status Release(ExecutorAddress slab) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Tells the unwinders of the waiting tables in these addresses.
  void RegisterTablesIn(ExecutorAddress begin, size_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The address where the range begins.
  absl::StatusOr<uint8_t*> AddressOf(ExecutorAddress slab, const SlabRange& range) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Held while pages are mapped and protected, so that no other thread unmaps the slab meanwhile;
  // not held while actions run.
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint64_t, size_t> slabs_ ABSL_GUARDED_BY(mutex_);  // Address to size.
  // By their addresses: those that the unwinders know, and those that they will be told of.
  absl::btree_map<uint64_t, UnwindTable> unwind_tables_ ABSL_GUARDED_BY(mutex_);
  absl::btree_map<uint64_t, UnwindTable> waiting_tables_ ABSL_GUARDED_BY(mutex_);
  LiveAllocations allocations_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_EXECUTOR_H_
