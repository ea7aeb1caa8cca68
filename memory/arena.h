// A range of reserved address space that contains code, read-only data, stubs, slots and writable
// data within reach of each other, packed by permission.
//
// No page is writable and executable at one address: code and read-only data are written through a
// second mapping of the same pages. So publishing a function changes no protection, and a new
// function in a page does not disturb functions of the same page that are running.
//
// Pages are there only for what was allocated, in steps: the rest of the range is reserved
// addresses that cannot be accessed. So a process that locks its memory does not make the range
// resident.
//
// A forked child continues in the same arena without touching its parent's pages. Writable data is
// private to each process. On the child's first allocation, the unused part of the shared pages is
// replaced by pages of the child's own. The parent neither uses the shared memory again that was
// allocated when it forked, nor gives it back, because the child may run that code for as long as
// it likes.
//
// Thread-safe.

#ifndef FIRSTCALL_MEMORY_ARENA_H_
#define FIRSTCALL_MEMORY_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/free_ranges.h"
#include "memory/memory_manager.h"
#include "memory/page_mapper.h"

namespace firstcall {

// The bytes that an arena reserves for each segment. Their sum must stay below the reach of the
// target's PC-relative addressing. If the code segment is larger than the reach of the target's
// branches, some calls go through a jump.
struct ArenaSizes : SegmentSizes {
  ArenaSizes() = default;
  ArenaSizes(size_t code_size, size_t read_only_size, size_t data_size)
      : SegmentSizes{code_size, read_only_size, data_size} {}
  // 1.5 GiB of address space (1.375 GiB on AArch64), where PC-relative addressing reaches 2 GiB on
  // x86-64 and 4 GiB on AArch64. Code is limited to what branches reach (128 MiB on AArch64).
  // Reserved addresses cost no memory until they are used.
  static ArenaSizes Default();
  // Those that a client has chosen. InvalidArgument if code could not reach all of such an arena.
  static absl::StatusOr<ArenaSizes> Chosen(const SegmentSizes& sizes);
};

// All in bytes, except for the mappings.
struct ArenaUsage {
  size_t reserved = 0;     // Addresses at which code and data can be seen.
  SegmentSizes committed;  // Bytes in pages that were used and not given back.
  SegmentSizes used;       // Allocated bytes.
  size_t mappings = 0;     // At most this many mappings of the process belong to this arena.

  // Bytes of pages in use that are not allocated: padding, free ranges, the rest of the last page.
  size_t wasted() const { return committed.total() - used.total(); }
};

class Arena {
 public:
  // ResourceExhausted, with the operation and the system's reason, if the system refuses address
  // space or pages. `near` is as in PageMapper::Reserve.
  static absl::StatusOr<std::unique_ptr<Arena>> Create(std::shared_ptr<PageMapper> mapper,
                                                       const ArenaSizes& sizes,
                                                       ExecutorAddress near = ExecutorAddress());
  // The same, with an InProcessMapper.
  static absl::StatusOr<std::unique_ptr<Arena>> Create(const ArenaSizes& sizes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Returns `size` zeroed bytes at a multiple of `alignment` (a power of two). No block of code
  // contains an address where no function may begin (see memory/unwindable_code.h).
  // ResourceExhausted if the segment is full or the system refuses memory; nothing has changed
  // then.
  absl::StatusOr<MemoryBlock> Allocate(Segment segment, size_t size, size_t alignment)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Frees a block of this arena. Whole pages that become free may go back to the system. Memory of
  // freed code is not reused under an emulator that keeps running old code after it is rewritten,
  // nor while a debugger follows what is compiled.
  void Free(const MemoryBlock& block) ABSL_LOCKS_EXCLUDED(mutex_);

  // Makes the bytes that were written to blocks of this arena ready to be executed and read.
  absl::Status Finalize(absl::Span<const MemoryBlock> blocks) ABSL_LOCKS_EXCLUDED(mutex_);

  // The first address of the reserved range.
  ExecutorAddress begin() const { return slab_.run; }

  // Whether `address` lies inside the reserved range.
  bool Contains(ExecutorAddress address) const;

  // Whether a direct call from anywhere in the arena's code reaches `address`: the address lies in
  // the code segment, which is no larger than the reach of the architecture's branches.
  bool IsReachedByCalls(ExecutorAddress address) const;

  // Whether the whole arena is within reach of `address` (kReach).
  bool IsWithinReachOf(ExecutorAddress address) const;

  // Whether PC-relative references from either arena reach all of the other one, and direct calls
  // all of its code.
  bool IsBeside(const Arena& other) const;

  // Whether each segment has the given number of bytes in one piece that was never allocated.
  bool HasRoomFor(const SegmentSizes& sizes) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether there is a segment of which less than a sixteenth was never allocated and less than
  // half is free for reuse.
  bool IsNearlyFull() const ABSL_LOCKS_EXCLUDED(mutex_);

  ArenaUsage usage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A segment's part of the slab. `write` is where its first byte is written.
  struct Part {
    Segment segment = Segment::kData;
    Protection protection = Protection::kReadWrite;
    size_t offset = 0;  // Into the slab.
    size_t size = 0;
    uint8_t* write = nullptr;
    size_t end = 0;        // From this offset on, nothing was ever allocated.
    size_t committed = 0;  // Bytes that were initialized.
    size_t own_from = 0;   // Shared bytes before this offset may belong to other processes, too.
    // Blocks before own_from, by their addresses, that were free when this process forked.
    absl::flat_hash_set<size_t> own;
    size_t used = 0;
    FreeRanges free;
  };

  Arena(std::shared_ptr<PageMapper> mapper, const ArenaSizes& sizes);
  absl::Status Map(ExecutorAddress near);
  // If this process has forked since the last call: notes that the allocated memory may be a
  // child's, too.
  void NoticeForks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status LeaveParentsPages() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Initializes pages up to the offset `end` at least.
  absl::Status Commit(Part& part, size_t end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // `write` is where the `size` bytes at `address` are written. They have been used before.
  void FillWithZeros(const Part& part, uint8_t* write, size_t address, size_t size)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<MemoryBlock> Extend(Part& part, size_t size, size_t alignment)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Part& part(Segment segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return parts_[static_cast<size_t>(segment)];
  }
  // The largest block that fits into the part that was never allocated.
  size_t LargestRoomIn(const Part& part) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  size_t AddressOf(const Part& part) const { return (slab_.run + part.offset).value(); }
  SlabRange WholePagesIn(FreeRanges::Range range) const;
  size_t CommittedPages(Segment segment) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<PageMapper> mapper_;
  const size_t page_size_;
  const size_t code_size_;
  Slab slab_;  // Constant after Create.
  mutable absl::Mutex mutex_;
  // The process that owns the unused shared pages, and how often it had forked when that was
  // noticed.
  uint64_t owner_ ABSL_GUARDED_BY(mutex_);
  uint64_t forks_ ABSL_GUARDED_BY(mutex_);
  size_t mappings_ ABSL_GUARDED_BY(mutex_) = 0;
  // Where blocks begin that lie where code was before, until they are finalized.
  absl::flat_hash_set<size_t> rewritten_code_ ABSL_GUARDED_BY(mutex_);
  Part parts_[3] ABSL_GUARDED_BY(mutex_);  // Indexed by Segment.
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_ARENA_H_
