// What a function that may be replaced counts with.

#ifndef FIRSTCALL_ENGINE_PROMOTION_COUNTERS_H_
#define FIRSTCALL_ENGINE_PROMOTION_COUNTERS_H_

#include <optional>

#include "splitter/heat_polls.h"
#include "stubs/call_counter.h"

namespace firstcall {

struct PromotionCounters {
  HeatCounter* polls = nullptr;      // Null if it does not poll.
  std::optional<CallCounter> calls;  // Of those that come by its stub, if they are counted there.
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PROMOTION_COUNTERS_H_
