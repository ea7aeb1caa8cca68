// How many instructions the polls of first bodies may take. Tested in
// tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SEAM_POLL_ALLOWANCE_H_
#define FIRSTCALL_SEAM_POLL_ALLOWANCE_H_

#include <cstdint>

namespace firstcall {

inline constexpr int64_t kUnlimitedPolls = INT64_MAX / 2;

// The polls of a body with loops may take one instruction for each this many of the body's own.
inline constexpr int64_t kInstructionsPerPoll = 128;

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_POLL_ALLOWANCE_H_
