#include "runtime/promotion_stats.h"

#include "absl/strings/str_format.h"

namespace firstcall {

std::string PromotionStats::ToString() const {
  std::string table;
  for (const FunctionHotness& hotness : functions) {
    if (hotness.tier == 0 && hotness.continuations == 0 && hotness.failures == 0) continue;
    if (table.empty()) {
      table = absl::StrFormat("%4s %12s %9s %9s %9s %9s %7s %9s %9s %8s %6s  %s\n", "tier", "polls",
                              "B first", "ms", "B better", "ms", "loops", "B", "ms", "entered",
                              "failed", "function");
    }
    absl::StrAppendFormat(&table, "%4d %12d %9d %9.2f %9d %9.2f %7d %9d %9.2f %8d %6d  %s\n",
                          hotness.tier, hotness.tier == 0 ? hotness.polls : hotness.polls_promoted,
                          hotness.first_bytes, absl::ToDoubleMilliseconds(hotness.first_time),
                          hotness.better_bytes, absl::ToDoubleMilliseconds(hotness.better_time),
                          hotness.continuations, hotness.continuation_bytes,
                          absl::ToDoubleMilliseconds(hotness.continuation_time),
                          hotness.loops_entered, hotness.failures, hotness.function);
  }
  for (const FunctionHotness& hotness : functions) {
    if (hotness.failures == 0) continue;
    absl::StrAppendFormat(&table, "promotion failed: %s\n", hotness.last_failure);
  }
  return table;
}

}  // namespace firstcall
