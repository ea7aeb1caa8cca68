// Which variables of a source module lie within reach of all code.
//
// Thread-safe: a pure function. Tested in tests/splitter/large_variables_test.cc.

#ifndef FIRSTCALL_SEAM_NEAR_VARIABLES_H_
#define FIRSTCALL_SEAM_NEAR_VARIABLES_H_

#include <cstdint>
#include <vector>

namespace firstcall {

// Returns the size up to which variables are near, for a module whose variables have these `sizes`.
// Smaller variables are near first, as many as fit within reach of an arena that other modules use,
// too.
uint64_t LargestNearVariable(std::vector<uint64_t> sizes);

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_NEAR_VARIABLES_H_
