// How LLVM passes vectors as arguments and results.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/vector_passing_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VECTOR_PASSING_H_
#define FIRSTCALL_BACKEND_BASELINE_VECTOR_PASSING_H_

#include <cstdint>

#include "backend/baseline/architecture.h"
#include "ir/type.h"

namespace firstcall::baseline {

struct VectorPassing {
  enum class Kind : uint8_t {
    kParts,  // As the parts of the value (value_parts.h), each in a vector register.
    kLanes,  // Each lane as a number of its own, in the order of the lanes.
    kWider,  // As a vector of `lane_bits` for each lane, of which only the lowest bits count.
  };
  Kind kind = Kind::kParts;
  unsigned lane_bits = 0;  // Of kWider.
  // Whether a processor with larger registers than 16 bytes passes the vector in another way.
  bool is_wide = false;
};

// Of a vector whose type is supported.
VectorPassing PassingOf(const ir::Type& vector, const CallingConvention& convention);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VECTOR_PASSING_H_
