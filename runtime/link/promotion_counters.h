// The counters of a function that may get an optimized body.
//
// Plain pointers, constant once the promoter has made the counters; the counters themselves are
// atomic. Tested in tests/api/promotion_lifetime_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_
#define FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_

#include <optional>

#include "seam/hotness_counter.h"
#include "stubs/call_counter.h"

namespace firstcall {

struct PromotionCounters {
  HotnessCounter* polls = nullptr;   // Null if the function does not poll.
  std::optional<CallCounter> calls;  // Set if calls through the stub are counted.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_
