// How long poll() may wait.

#ifndef FIRSTCALL_BASE_POLL_TIMEOUT_H_
#define FIRSTCALL_BASE_POLL_TIMEOUT_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "base/steady_clock.h"

namespace firstcall {

// The time until `deadline` (of SteadyNow), in milliseconds as poll() takes them: 0 if it has
// passed, -1 if it is infinite. Rounded up: otherwise poll() would return before the deadline, and
// be called again without any time to wait. Async-signal-safe.
inline int PollTimeout(absl::Duration deadline) {
  if (deadline == absl::InfiniteDuration()) return -1;
  const absl::Duration left = absl::Ceil(deadline - SteadyNow(), absl::Milliseconds(1));
  return static_cast<int>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(left), 0, std::numeric_limits<int>::max()));
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_POLL_TIMEOUT_H_
