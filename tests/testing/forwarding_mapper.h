// Pages of this process, of which a test says where they are reserved.
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_FORWARDING_MAPPER_H_
#define FIRSTCALL_TESTS_TESTING_FORWARDING_MAPPER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/in_process_mapper.h"
#include "memory/page_mapper.h"

namespace firstcall {

// Does everything but Reserve as `mapper_` does.
class ForwardingMapper : public PageMapper {
 public:
  size_t page_size() const override { return mapper_.page_size(); }
  absl::StatusOr<std::vector<uint8_t*>> Initialize(
      const Slab& slab, absl::Span<const SlabSegment> segments) override {
    return mapper_.Initialize(slab, segments);
  }
  absl::StatusOr<AllocationId> Finalize(const Slab& slab, const Allocation& allocation) override {
    return mapper_.Finalize(slab, allocation);
  }
  absl::Status Deallocate(absl::Span<const AllocationId> allocations) override {
    return mapper_.Deallocate(allocations);
  }
  absl::Status Discard(const Slab& slab, const SlabSegment& pages) override {
    return mapper_.Discard(slab, pages);
  }
  absl::Status SynchronizeInstructions() override { return mapper_.SynchronizeInstructions(); }
  absl::Status Release(const Slab& slab) override { return mapper_.Release(slab); }

 protected:
  InProcessMapper mapper_;
};

// Has addresses for one slab only, so that the arena in it can become full.
class SingleSlabMapper final : public ForwardingMapper {
 public:
  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress near) override {
    if (has_reserved_.exchange(true)) return absl::ResourceExhaustedError("no more slabs");
    return mapper_.Reserve(size, near);
  }

 private:
  std::atomic<bool> has_reserved_{false};
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_FORWARDING_MAPPER_H_
