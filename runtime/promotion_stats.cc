#include "runtime/promotion_stats.h"

#include "absl/strings/str_format.h"

namespace firstcall {

std::string PromotionStats::ToString() const {
  std::string table;
  for (const FunctionHeat& heat : functions) {
    if (heat.tier == 0 && heat.continuations == 0 && heat.failures == 0) continue;
    if (table.empty()) {
      table = absl::StrFormat("%4s %12s %9s %9s %9s %9s %7s %9s %9s %8s %6s  %s\n", "tier", "polls",
                              "B first", "ms", "B better", "ms", "loops", "B", "ms", "entered",
                              "failed", "function");
    }
    absl::StrAppendFormat(&table, "%4d %12d %9d %9.2f %9d %9.2f %7d %9d %9.2f %8d %6d  %s\n",
                          heat.tier, heat.tier == 0 ? heat.polls : heat.polls_promoted,
                          heat.first_bytes, absl::ToDoubleMilliseconds(heat.first_time),
                          heat.better_bytes, absl::ToDoubleMilliseconds(heat.better_time),
                          heat.continuations, heat.continuation_bytes,
                          absl::ToDoubleMilliseconds(heat.continuation_time), heat.loops_entered,
                          heat.failures, heat.function);
  }
  for (const FunctionHeat& heat : functions) {
    if (heat.failures == 0) continue;
    absl::StrAppendFormat(&table, "promotion failed: %s\n", heat.last_failure);
  }
  return table;
}

}  // namespace firstcall
