// The clock for durations and deadlines. Unlike the time of day, it is never set. Tested in
// tests/runtime/startup_phase_test.cc.

#ifndef FIRSTCALL_BASE_STEADY_CLOCK_H_
#define FIRSTCALL_BASE_STEADY_CLOCK_H_

#include <chrono>

#include "absl/time/time.h"

namespace firstcall {

// The time since some moment before the process began. Thread-safe; async-signal-safe.
inline absl::Duration SteadyNow() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_STEADY_CLOCK_H_
