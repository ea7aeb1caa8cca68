// A range of reserved address space in which code, read-only data, stubs, slots and writable data
// lie within reach of each other, packed by permission.
//
// No page is writable and executable at one address: code and read-only data are written through a
// second mapping of the same pages, so publishing a function changes no protection and packing
// functions into a page disturbs none that is running there. Five mappings serve the whole arena.
//
// A child that was forked goes on in the same arena without touching its parent's pages: writable
// data is private anyway, and the part of the shared pages that is still unused gets pages of its
// own on the child's first allocation.
//
// Thread-safe. Memory is returned only when the arena is destroyed.

#ifndef FIRSTCALL_MEMORY_ARENA_H_
#define FIRSTCALL_MEMORY_ARENA_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_address.h"

namespace firstcall {

enum class Segment { kCode, kReadOnly, kData };

// Bytes an arena reserves for each segment. The sum must stay below the reach of the target's
// PC-relative addressing. If code alone is larger than the reach of the target's branches, calls
// take longer ways.
struct ArenaSizes {
  size_t code = 0;
  size_t read_only = 0;
  size_t data = 0;

  // 1.5 GiB of address space (reach 2 GiB on x86-64, 4 GiB on AArch64), code no more than branches
  // reach (128 MiB on AArch64). Reserved addresses cost no memory until they are used.
  static ArenaSizes Default();
};

// Bytes, zeroed: where to write them and where they will be seen. For writable data both are the
// same address.
struct ArenaBlock {
  uint8_t* write = nullptr;
  ExecutorAddress run;
};

struct ArenaUsage {
  size_t code = 0;  // Bytes handed out, alignment included.
  size_t read_only = 0;
  size_t data = 0;
};

class Arena {
 public:
  // ResourceExhausted, naming the operation and the system's reason, if the address space or the
  // pages cannot be had.
  static absl::StatusOr<std::unique_ptr<Arena>> Create(const ArenaSizes& sizes);

  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` bytes at a multiple of `alignment` (a power of two). ResourceExhausted if the segment is
  // full or the system refuses memory; nothing has changed then.
  absl::StatusOr<ArenaBlock> Allocate(Segment segment, size_t size, size_t alignment)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `address` lies inside the reserved range.
  bool Contains(ExecutorAddress address) const;

  // Whether a direct call reaches `address` from wherever in the arena code is: it lies in the code
  // segment, and that is no larger than the reach of the architecture's branches.
  bool IsReachedByCalls(ExecutorAddress address) const;

  ArenaUsage usage() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A segment's part of the range. `write` is where its first byte is written.
  struct Part {
    ExecutorAddress run;
    uint8_t* write = nullptr;
    size_t size = 0;
    size_t used = 0;
    size_t committed = 0;  // Writable data only: bytes that are accessible.
  };

  explicit Arena(const ArenaSizes& sizes);

  absl::Status Map();
  // Maps the pages of `file` over both mappings of the shared parts, from the given bytes on.
  absl::Status MapShared(int file, size_t code_from, size_t read_only_from)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status MapView(int file, const Part& part, size_t from, size_t file_offset, int protection);
  absl::Status LeaveParentsPages() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Commit(Part& data, size_t end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Part& part(Segment segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant after Create.
  uint8_t* reserved_ = nullptr;
  size_t reserved_size_ = 0;
  uint8_t* alias_ = nullptr;  // The writable mapping of the shared parts.
  size_t alias_size_ = 0;
  size_t code_size_ = 0;

  mutable absl::Mutex mutex_;
  pid_t owner_ ABSL_GUARDED_BY(mutex_);  // The process whose pages the unused shared ones are.
  Part code_ ABSL_GUARDED_BY(mutex_);
  Part read_only_ ABSL_GUARDED_BY(mutex_);
  Part data_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_ARENA_H_
