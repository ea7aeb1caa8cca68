// Times that clients give and get in nanoseconds. Thread-safe.

#ifndef FIRSTCALL_CLIENTS_CAPI_DURATION_H_
#define FIRSTCALL_CLIENTS_CAPI_DURATION_H_

#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace firstcall::capi {

// Of 292 years and more there is no end, because absl::Nanoseconds takes signed numbers.
inline absl::Duration DurationFrom(uint64_t nanoseconds) {
  if (nanoseconds > uint64_t{std::numeric_limits<int64_t>::max()}) return absl::InfiniteDuration();
  return absl::Nanoseconds(nanoseconds);
}

// For times that are not negative.
inline uint64_t NanosecondsOf(absl::Duration duration) {
  return static_cast<uint64_t>(absl::ToInt64Nanoseconds(duration));
}

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_DURATION_H_
