// The time that durations and deadlines are measured with: nobody sets it, as the time of day is
// set.

#ifndef FIRSTCALL_BASE_STEADY_CLOCK_H_
#define FIRSTCALL_BASE_STEADY_CLOCK_H_

#include <chrono>

#include "absl/time/time.h"

namespace firstcall {

// Since some moment before the process began. Thread-safe; a signal handler may ask.
inline absl::Duration SteadyNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_STEADY_CLOCK_H_
