// Provides the pages of code and data: in this process, or in another process that executes what
// this one compiles.
//
// A slab is a range of reserved addresses in the executing process. Its pages are first
// initialized: they are created, and this process can write them. Then they are finalized: they get
// their protection in the executing process, and actions run there. Both are possible for any
// pieces of a slab. Slabs and finalized allocations are tracked separately, so that nothing has to
// be given back if finalizing fails.
//
// No page is ever writable and executable at one address.
//
// Implementations are thread-safe. They never abort: if the system refuses something, the error is
// ResourceExhausted, with the operation and the system's reason.

#ifndef FIRSTCALL_MEMORY_PAGE_MAPPER_H_
#define FIRSTCALL_MEMORY_PAGE_MAPPER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// What the executing process may do with a page after it is finalized.
enum class Protection { kReadExecute, kRead, kReadWrite };

// Reserved addresses in the executing process.
struct Slab {
  ExecutorAddress run;
  size_t size = 0;
};

// A part of a slab, in bytes from its beginning.
struct SlabRange {
  size_t offset = 0;
  size_t size = 0;
};

struct SlabSegment {
  SlabRange range;
  Protection protection = Protection::kRead;
};

// A call of `function`, a `void (*)(void*)` of the executing process, made there.
struct ExecutorAction {
  ExecutorAddress function;
  ExecutorAddress argument;
};

// What is finalized together. Segments lie in pages that were initialized for their protection, but
// need not fill these pages.
struct Allocation {
  std::vector<SlabSegment> segments;
  std::vector<ExecutorAction> when_finalized;    // In this order.
  std::vector<ExecutorAction> when_deallocated;  // In the opposite order.
};

class PageMapper {
 public:
  using AllocationId = uint64_t;

  virtual ~PageMapper() = default;

  // The size of a page in bytes.
  virtual size_t page_size() const = 0;

  // Reserves `size` bytes, a multiple of the page size. They cannot be accessed yet. If `near` is
  // not null, they should lie close to that address, but the caller must check whether they do.
  virtual absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) = 0;

  // Creates the pages of each segment, filled with zeros. Segments begin and end at page
  // boundaries. Returns for each segment that is not empty the address where this process writes
  // it, valid until the slab is released. Initializing pages again replaces them, at the same
  // addresses, by new pages of the calling process alone. After an error, pages must be initialized
  // again before they are used.
  virtual absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) = 0;

  // Makes what was written to the segments visible to the executing process, with their protection
  // and as instructions, then runs the actions. Copies nothing if both processes share the pages.
  virtual absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) = 0;

  // Runs the actions for the end of each allocation, the last allocation first. The pages remain.
  virtual absl::Status Deallocate(absl::Span<const AllocationId> allocations) = 0;

  // Tells that the contents of whole pages, which were initialized for that protection, are no
  // longer needed. If this succeeds, the pages go back to the system and read as zeros afterwards.
  virtual absl::Status Discard(const Slab& slab, const SlabSegment& pages) = 0;

  // Ensures that no processor of the executing process runs stale instructions, fetched before the
  // contents of their addresses were replaced. Call after Finalize of pages that had other code.
  virtual absl::Status SynchronizeInstructions() = 0;

  // Deallocates the slab's remaining allocations and gives back its addresses.
  virtual absl::Status Release(const Slab& slab) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_PAGE_MAPPER_H_
