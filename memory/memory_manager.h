// Who provides the memory that linked objects lie in. An engine has one of its own (arenas); a
// client can put another in its place, or in front of it.
//
// The contract, for the client that writes one:
//  - Thread-safe: several threads link at once.
//  - A block is zeroed, aligned as asked, and lasts until Free. That may be longer than the engine
//    lives, if code was detached from it.
//  - The blocks of one object lie within 2000 MiB of each other (kReach). For all but the first,
//    MemoryRequest::near says of what. Blocks of different objects may lie anywhere. A block that
//    is out of reach is a failure to link, and is freed.
//  - A block of code that includes a multiple of 4 GiB is freed at once, and asked for again while
//  it
//    is held: the unwinder of C++ finds no code there. A second such block is a failure to link.
//  - The engine writes blocks before Finalize only, except for writable data, which compiled code
//    writes at `run`. Finalize comes once for each object, with all its blocks, when their contents
//    are complete; after it code must be executable and everything readable at `run`, and
//    processors must not see what was there before. What the engine's own memory does for that it
//    does for its blocks only: page permissions and instruction caches of others are theirs.
//  - Free comes at most once for a block, with no code of it running, whether it was finalized or
//    not. Destroying the manager frees what is left.
//  - An error means that nothing has changed, and becomes the failure of what was being linked.
// Nothing else is promised: not how many objects there are, nor in which order or sizes they ask.

#ifndef FIRSTCALL_MEMORY_MEMORY_MANAGER_H_
#define FIRSTCALL_MEMORY_MEMORY_MANAGER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

enum class Segment { kCode, kReadOnly, kData };

// Bytes of each segment.
struct SegmentSizes {
  size_t code = 0;
  size_t read_only = 0;
  size_t data = 0;

  size_t total() const { return code + read_only + data; }
};

// Bytes: where to write them and where they will be seen. For writable data of this process both
// are the same address.
struct MemoryBlock {
  uint8_t* write = nullptr;
  ExecutorAddress run;
  size_t size = 0;
  Segment segment = Segment::kData;
};

struct MemoryRequest {
  Segment segment = Segment::kData;
  size_t size = 0;       // Bytes; may be zero.
  size_t alignment = 1;  // A power of two.
  // The section it is for, such as ".text"; valid during the call.
  absl::string_view section;
  // An address the block must be within reach of; null if there is none.
  ExecutorAddress near;
  // What all blocks of the object need at most, this one included. Zero if it may be left out
  // because the object's first block has to be near something too.
  SegmentSizes object;
};

class MemoryManager {
 public:
  virtual ~MemoryManager() = default;

  virtual absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) = 0;
  virtual absl::Status Finalize(absl::Span<const MemoryBlock> blocks) = 0;
  virtual void Free(absl::Span<const MemoryBlock> blocks) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_MEMORY_MANAGER_H_
