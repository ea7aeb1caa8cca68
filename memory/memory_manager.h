// Provides the memory that linked objects lie in. An engine has a memory manager of its own
// (arenas); a client can replace it by another, or put another in front of it.
//
// The contract, for a client that implements a memory manager:
//  - Thread-safe: several threads link at the same time.
//  - A block is zeroed, has the requested alignment, and lasts until Free. If code was detached
//    from the engine, that may be after the engine's end.
//  - The blocks of one object lie within 2000 MiB (kReach) of each other: for every block but the
//    first, MemoryRequest::near is the address to be near. Blocks of different objects may lie
//    anywhere, and so may a block of large variables, for which `near` is null and `object` is the
//    size of that block alone. If a block is out of reach, linking fails and the block is freed.
//  - The unwinder of C++ finds no function that begins at a multiple of 4 GiB. So if a block of
//    code contains such an address, another block is requested, and then the first is freed. If the
//    second block contains one, too, linking fails.
//  - The engine writes blocks only before Finalize. Writable data is the exception: compiled code
//    writes it at `run`.
//  - Finalize is called once for each object, with all its blocks, when their contents are
//    complete. After it, code must be executable and everything readable at `run`, and processors
//    must not see earlier contents. The engine's own manager does that for its own blocks only: the
//    page permissions and instruction caches of other blocks are up to the manager that provided
//    them.
//  - Free gets a block at most once, finalized or not, when no code in it runs. Destroying the
//    manager frees the remaining blocks.
//  - If a call returns an error, it must have changed nothing. Linking the object then fails with
//    that error.
// The engine promises nothing else: neither how many objects it links, nor the order or sizes of
// its requests.
//
// Tested in tests/api/memory_test.cc.

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

// Where the bytes are written, and where compiled code sees them. For writable data of this process
// both are the same address.
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
  // The first section the block is for, such as ".text"; valid during the call. A block for
  // ".llvm_stackmaps" or ".llvm_faultmaps" has no other section.
  absl::string_view section;
  // The block must be within reach of this address; null if there is no such address.
  ExecutorAddress near;
  // Upper bounds for all blocks of the object together, this one included. May be zero if the
  // object's first block, too, must be near an address.
  SegmentSizes object;
};

class MemoryManager {
 public:
  virtual ~MemoryManager() = default;

  // Returns a block for the request, which belongs to the engine until Free. The engine's own
  // manager returns ResourceExhausted if the memory budget or the addresses are used up.
  virtual absl::StatusOr<MemoryBlock> Allocate(const MemoryRequest& request) = 0;
  // Makes the blocks of one object ready to be used by compiled code.
  virtual absl::Status Finalize(absl::Span<const MemoryBlock> blocks) = 0;
  // Takes blocks back, whether they were finalized or not.
  virtual void Free(absl::Span<const MemoryBlock> blocks) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_MEMORY_MANAGER_H_
