// Provides pages of this process: code is compiled and executed here.
//
// Code and read-only data are pages of a file without a name, which are mapped twice: once to be
// executed or read, once to be written. The executable mapping is private, as that of a program's
// code is, so that a debugger can write breakpoints (memory/copied_pages.h). Writable data is
// private memory, accessible at one address.
//
// Thread-safe. Tested in tests/memory/page_mapper_test.cc.

#ifndef FIRSTCALL_MEMORY_IN_PROCESS_MAPPER_H_
#define FIRSTCALL_MEMORY_IN_PROCESS_MAPPER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "memory/live_allocations.h"
#include "memory/page_mapper.h"

namespace firstcall {

class InProcessMapper final : public PageMapper {
 public:
  // Where the pages of code and read-only data come from.
  enum class Pages {
    // A file without a name; for a slab that is larger than the process's files may be, as below.
    kFile,
    // Shared anonymous memory, as which Linux's perf expects code whose names are in a file
    // /tmp/perf-PID.map. A debugger cannot set breakpoints in it.
    kAnonymous,
  };

  explicit InProcessMapper(Pages pages = Pages::kFile) : pages_(pages) {}
  // Releases every slab.
  ~InProcessMapper() override;
  InProcessMapper(const InProcessMapper&) = delete;
  InProcessMapper& operator=(const InProcessMapper&) = delete;

  size_t page_size() const override;
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::vector<uint8_t*>> Initialize(const Slab& slab,
                                                   absl::Span<const SlabSegment> segments) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Deallocate(absl::Span<const AllocationId> allocations) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Discard(const Slab& slab, const SlabSegment& pages) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status SynchronizeInstructions() override;
  absl::Status Release(const Slab& slab) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Mapping {
    size_t size = 0;
    // Where shared pages are written. Reserved addresses, as large as the slab; null until the slab
    // has shared pages.
    uint8_t* alias = nullptr;
    bool has_front = false;  // Whether a page that can be read is mapped in front of the slab.
    // By protection: up to this offset into the slab, core dumps have what is run or read. Nothing
    // if there are no such pages.
    std::array<std::optional<size_t>, 3> dumped_to;
  };

  // Of the slab as it is run, and the page in front of it.
  static bool Unmap(uint8_t* run, const Mapping& mapping);
  // Mapping::alias of a slab that exists, which gets one if it has none.
  absl::StatusOr<uint8_t*> AliasOf(const Slab& slab) ABSL_LOCKS_EXCLUDED(mutex_);
  // Maps `size` bytes of new pages twice: to be written, and to be run or read. They are the
  // file's, or anonymous if there is none.
  absl::Status MapTwice(uint8_t* alias, uint8_t* run, size_t size, Protection protection, int file,
                        size_t file_offset) const;
  // A core dump of shared memory has all of its pages, used or not, and to dump them brings them
  // into being. So each segment is left out of core dumps, except the pages that were finalized.
  void LeaveOutOfDumps(const Slab& slab, const SlabSegment& segment) ABSL_LOCKS_EXCLUDED(mutex_);
  void TakeIntoDumps(const Slab& slab, const SlabSegment& segment) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Mapping> MappingOf(const Slab& slab) const ABSL_LOCKS_EXCLUDED(mutex_);

  const Pages pages_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<uint64_t, Mapping> slabs_ ABSL_GUARDED_BY(mutex_);  // By the slab's address.
  LiveAllocations allocations_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_IN_PROCESS_MAPPER_H_
