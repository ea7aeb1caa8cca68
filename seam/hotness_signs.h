// How a first body shows that it has become hot. Tested in
// tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SEAM_HOTNESS_SIGNS_H_
#define FIRSTCALL_SEAM_HOTNESS_SIGNS_H_

#include <cstdint>

namespace firstcall {

enum class HotnessSigns : uint8_t {
  kNone,           // Not at all: it cannot be replaced.
  kCallsAndLoops,  // By its calls, and by its loops if it has any.
  kCallsOnly,      // By its calls only: it has loops, but does not poll in them.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_HOTNESS_SIGNS_H_
