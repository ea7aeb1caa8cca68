// Who provides the pages that code and data lie in: in this process, or in another one that
// executes what this one compiles.
//
// A slab is a range of reserved addresses in the executing process. Its pages are first initialized
// (they come into being, and can be written here), then finalized (they get their protection there,
// and actions run there), both in any pieces; slabs and finalized allocations are tracked apart, so
// there is nothing to give back when finalizing fails.
//
// No page is ever writable and executable at one address.
//
// Implementations are thread-safe, and abort nothing: what the system refuses is ResourceExhausted,
// with the operation and the system's reason.

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

// What the executing process may do with a page once it is finalized.
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

// What becomes ready at once. Segments lie in pages that were initialized for their protection, but
// need not fill them.
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
  // not null, they should lie close to that address; whoever asks must look whether they do.
  virtual absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) = 0;

  // Gives the pages of each segment, which begin and end at pages, contents of zeros, and returns
  // for each the address where this process writes them; it is valid until the slab is released.
  // May be called again for the same pages: they are new ones then, of the calling process alone,
  // at the same addresses. After an error the pages must be initialized again before they are used.
  virtual absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) = 0;

  // Makes what was written to the segments visible to the executing process, with their protection
  // and as instructions, and then runs the actions. Copies nothing where both processes share the
  // pages.
  virtual absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) = 0;

  // Runs the actions for the end of each allocation, the last allocation first. The pages stay.
  virtual absl::Status Deallocate(absl::Span<const AllocationId> allocations) = 0;

  // Tells that the contents of whole pages, initialized for that protection, are not needed any
  // more: they go back to the system, and are zeros afterwards if that succeeds.
  virtual absl::Status Discard(const Slab& slab, const SlabSegment& pages) = 0;

  // Makes sure that no processor of the executing process runs instructions it has fetched from
  // addresses whose contents were replaced since. Call after Finalize of pages that had other code.
  virtual absl::Status SynchronizeInstructions() = 0;

  // Deallocates what of the slab has not been, and gives its addresses back.
  virtual absl::Status Release(const Slab& slab) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_PAGE_MAPPER_H_
