// The counters of a function that may get an optimized body.
//
// Constant once the promoter has made the counters; the counters themselves are atomic. Tested in
// tests/api/promotion_lifetime_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_
#define FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_

#include <memory>
#include <optional>
#include <vector>

#include "seam/hotness_counter.h"
#include "seam/loop_exit.h"
#include "stubs/call_counter.h"

namespace firstcall {

struct PromotionCounters {
  HotnessCounter* polls = nullptr;   // Null if the function does not poll.
  std::optional<CallCounter> calls;  // Set if calls through the stub are counted.
  // What a thread may still read that leaves the first body at a poll.
  std::vector<std::shared_ptr<const LoopExit>> exits = {};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_PROMOTION_COUNTERS_H_
