#include "seam/promotion_stats.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace firstcall {
namespace {

// How many of the inlined functions a line names.
constexpr size_t kMostInlined = 6;

double Ms(absl::Duration time) { return absl::ToDoubleMilliseconds(time); }

std::string LineOf(const PromotionTotals& totals) {
  if (!totals.weighs_gains || (totals.optimizations == 0 && totals.put_off == 0)) return "";
  return absl::StrFormat(
      "optimizing took %.2f ms of processor time (predicted: %.2f ms) to save %.2f ms (predicted); "
      "hot functions put off: %d; processors: %.1f\n",
      Ms(totals.time), Ms(totals.predicted_cost), Ms(totals.predicted_gain), totals.put_off,
      totals.processors);
}

std::string TableOfFunctions(const std::vector<FunctionHotness>& functions) {
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
                          hotness.first_bytes, Ms(hotness.first_time), hotness.optimized_bytes,
                          Ms(hotness.optimized_time), hotness.continuations,
                          hotness.continuation_bytes, Ms(hotness.continuation_time),
                          hotness.loops_entered, hotness.failures, hotness.function);
  }
  return table;
}

std::string FailuresOf(const std::vector<FunctionHotness>& functions) {
  std::string lines;
  for (const FunctionHotness& hotness : functions) {
    if (hotness.failures != 0) {
      absl::StrAppendFormat(&lines, "promotion failed: %s\n", hotness.last_failure);
    }
    if (hotness.loops_kept != 0) {
      absl::StrAppendFormat(&lines, "loop not left: function '%s': %s\n", hotness.function,
                            hotness.last_kept);
    }
  }
  return lines;
}

std::string LineOf(const FunctionHotness& function, const PromotionStep& step) {
  std::string line = absl::StrFormat(
      "%9.2f %9.2f %9.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %9.2f %9d %6d %5d  %s%s", Ms(step.hot),
      Ms(step.begun - step.hot), Ms(step.ready), Ms(step.extract), Ms(step.optimize), Ms(step.emit),
      Ms(step.link), Ms(step.time), Ms(step.predicted_cost), Ms(step.predicted_gain),
      step.code_bytes, step.imported, step.facts, function.function,
      step.is_continuation ? " (loop)" : "");
  if (step.is_cached) absl::StrAppend(&line, " (from the cache)");
  if (step.counts > 0) absl::StrAppend(&line, " (", step.counts, " branches counted)");
  if (!step.failure.empty()) absl::StrAppend(&line, step.is_kept ? " (not left)" : " (failed)");
  if (function.has_loops_without_polls) absl::StrAppend(&line, " (loops without polls)");
  if (!step.inlined.empty()) {
    const size_t shown = std::min(step.inlined.size(), kMostInlined);
    absl::StrAppend(&line, "; inlined: ",
                    absl::StrJoin(step.inlined.begin(), step.inlined.begin() + shown, ", "));
    if (shown < step.inlined.size()) {
      absl::StrAppend(&line, " and ", step.inlined.size() - shown, " more");
    }
  }
  return absl::StrCat(line, "\n");
}

std::string TableOfSteps(const std::vector<FunctionHotness>& functions) {
  std::vector<std::pair<const FunctionHotness*, const PromotionStep*>> steps;
  for (const FunctionHotness& hotness : functions) {
    for (const PromotionStep& step : hotness.steps) steps.push_back({&hotness, &step});
  }
  if (steps.empty()) return "";
  std::sort(steps.begin(), steps.end(),
            [](const auto& a, const auto& b) { return a.second->begun < b.second->begun; });
  std::string table =
      absl::StrFormat("%9s %9s %9s %8s %8s %8s %8s %8s %8s %9s %9s %6s %5s  %s\n", "hot at",
                      "waited", "ready at", "extract", "passes", "emit", "link", "cpu", "cost",
                      "gain", "B", "copies", "facts", "function");
  for (const auto& [function, step] : steps) absl::StrAppend(&table, LineOf(*function, *step));
  return table;
}

}  // namespace

std::string PromotionStats::ToString() const {
  return absl::StrCat(LineOf(totals), TableOfFunctions(functions), FailuresOf(functions),
                      TableOfSteps(functions));
}

}  // namespace firstcall
