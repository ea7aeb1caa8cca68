// Pages around a multiple of 4 GiB, where the unwinder finds no function.
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_BOUNDARY_MAPPER_H_
#define FIRSTCALL_TESTS_TESTING_BOUNDARY_MAPPER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "memory/page_mapper.h"
#include "tests/testing/forwarding_mapper.h"

namespace firstcall {

inline constexpr uint64_t kUnwinderNull = uint64_t{1} << 32;  // And its multiples.

// Each slab begins `distance` bytes, a multiple of 32 MiB, in front of a multiple of 4 GiB.
class BoundaryMapper final : public ForwardingMapper {
 public:
  explicit BoundaryMapper(uint64_t distance) : distance_(distance) {}

  absl::StatusOr<Slab> Reserve(size_t size, ExecutorAddress) override {
    for (uint64_t i = 16; i < 4096; ++i) {
      absl::StatusOr<Slab> slab = ReserveAt(ExecutorAddress(i * kUnwinderNull - distance_), size);
      if (slab.ok()) return slab;
    }
    // Sanitizers have that range for themselves: downwards from where the system puts a slab.
    absl::StatusOr<Slab> anywhere = mapper_.Reserve(size, ExecutorAddress());
    if (!anywhere.ok()) return anywhere;
    const uint64_t last = anywhere->run.value() / kUnwinderNull;
    (void)mapper_.Release(*anywhere);
    for (uint64_t i = last - 1; i > 16 && i > last - 256; --i) {
      absl::StatusOr<Slab> slab = ReserveAt(ExecutorAddress(i * kUnwinderNull - distance_), size);
      if (slab.ok()) return slab;
    }
    return absl::ResourceExhaustedError("no multiple of 4 GiB is free");
  }

 private:
  absl::StatusOr<Slab> ReserveAt(ExecutorAddress wanted, size_t size) {
    // The mapper tries this far in front of what the slab is to be near first.
    constexpr uint64_t kStep = uint64_t{32} << 20;
    absl::StatusOr<Slab> slab = mapper_.Reserve(size, wanted + size + kStep);
    if (!slab.ok() || slab->run == wanted) return slab;
    (void)mapper_.Release(*slab);
    return absl::ResourceExhaustedError("something is there");
  }

  const uint64_t distance_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_BOUNDARY_MAPPER_H_
