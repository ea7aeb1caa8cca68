// Provides pages of another process: code is compiled here and executed there. This process's
// mapping, for writing, and the executing process's mapping show the same POSIX shared memory, so
// finalizing sets protections and copies nothing.
//
// Here the pages are read-write as long as the slab exists. In the executing process they cannot be
// accessed until they are finalized.
//
// Belongs to the process that created it: in a forked child every operation fails with
// FailedPrecondition, because there is no second executing process.
//
// Thread-safe. Errors besides those of PageMapper: Unavailable if the executing process is gone,
// and the connection's own. After an error of the connection nothing has changed as far as this
// process knows, and the operation may be tried again. A call blocks until the executing process
// has answered, which it does after the actions have run.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_MAPPER_H_
#define FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "memory/page_mapper.h"
#include "services/executor/executor_client.h"
#include "services/executor/executor_connection.h"

namespace firstcall {

class SharedMemoryMapper final : public PageMapper {
 public:
  // FailedPrecondition if the executing process uses another version of the protocol or another
  // size of pages.
  static absl::StatusOr<std::unique_ptr<SharedMemoryMapper>> Create(
      std::shared_ptr<ExecutorConnection> connection);
  static absl::StatusOr<std::unique_ptr<SharedMemoryMapper>> Create(
      std::shared_ptr<const ExecutorClient> client);
  // Releases every slab.
  ~SharedMemoryMapper() override;
  SharedMemoryMapper(const SharedMemoryMapper&) = delete;
  SharedMemoryMapper& operator=(const SharedMemoryMapper&) = delete;

  size_t page_size() const override { return client_->page_size(); }
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The shared memory file system (/dev/shm) must have room for all segments now, although pages
  // take it up only when they are written.
  absl::StatusOr<std::vector<uint8_t*>> Initialize(const Slab& slab,
                                                   absl::Span<const SlabSegment> segments) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) override;
  absl::Status Deallocate(absl::Span<const AllocationId> allocations) override;
  absl::Status Discard(const Slab& slab, const SlabSegment& pages) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status SynchronizeInstructions() override;
  // After an error the slab still exists, unless the executing process is gone or has no such slab.
  absl::Status Release(const Slab& slab) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The addresses where this process writes a whole slab.
  struct WorkingMemory {
    uint8_t* begin = nullptr;
    size_t size = 0;
  };

  explicit SharedMemoryMapper(std::shared_ptr<const ExecutorClient> client);
  void Add(ExecutorAddress slab, const WorkingMemory& memory) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<WorkingMemory> WorkingMemoryOf(const Slab& slab) const ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<const ExecutorClient> client_;
  mutable absl::Mutex mutex_;
  // By the slab's address.
  absl::flat_hash_map<uint64_t, WorkingMemory> slabs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_SHARED_MEMORY_MAPPER_H_
