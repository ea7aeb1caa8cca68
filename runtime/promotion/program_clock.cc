#include "runtime/promotion/program_clock.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace firstcall {
namespace {

absl::Duration Now(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return absl::ZeroDuration();
  return absl::DurationFromTimespec(now);
}

}  // namespace

absl::Duration ProcessTime() { return Now(CLOCK_PROCESS_CPUTIME_ID); }
absl::Duration ThreadTime() { return Now(CLOCK_THREAD_CPUTIME_ID); }

absl::Duration ProgramClock::TakeTime(absl::Duration process_time) {
  const absl::Duration last = std::exchange(last_, process_time);
  const absl::Duration optimization = std::exchange(optimization_, absl::ZeroDuration());
  // The process's clock of a child begins at 0. What was noted was the parent's.
  if (process_time < last) return process_time;
  return std::max(absl::ZeroDuration(), process_time - last - optimization);
}

}  // namespace firstcall
