// Protection from frames that jump over the guard page below a stack (-fstack-clash-protection): a
// function with the attribute "probe-stack" touches each page of a large frame or alloca.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/stack_probe_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_STACK_PROBE_H_
#define FIRSTCALL_BACKEND_BASELINE_STACK_PROBE_H_

#include <cstdint>

#include "ir/attributes.h"

namespace firstcall::baseline {

// The most bytes that the stack may grow by without being touched.
inline constexpr int64_t kProbedBytes = 4096;

enum class StackProbe : uint8_t {
  kNone,
  kInline,  // At least every kProbedBytes, by instructions.
  kOther,   // By a function, or more often. This is not covered.
};

// What a function with these attributes has to do.
StackProbe StackProbeOf(const ir::AttributeSet& attributes);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_STACK_PROBE_H_
