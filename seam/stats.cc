#include "seam/stats.h"

#include "absl/strings/str_format.h"

namespace firstcall {

std::string Stats::ToString() const {
  const auto milliseconds = [](absl::Duration time) { return absl::ToDoubleMilliseconds(time); };
  const double share = functions_known == 0 ? 0
                                            : 100.0 * static_cast<double>(functions_compiled) /
                                                  static_cast<double>(functions_known);
  const std::string totals = absl::StrFormat(
      "source modules      %10d\n"
      "functions known     %10d\n"
      "stubs made          %10d\n"
      "functions compiled  %10d  (%.1f %%)\n"
      "by baseline         %10d\n"
      "by MCJIT            %10d\n"
      "functions cached    %10d\n"
      "promotions made     %10d\n"
      "promotions failed   %10d\n"
      "promotions cached   %10d\n"
      "objects linked      %10d\n"
      "objects cached      %10d\n"
      "linked by MCJIT     %10d\n"
      "object bytes        %10d\n"
      "code bytes          %10d\n"
      "memory used         %10d\n"
      "memory committed    %10d\n"
      "time in load        %10.3f ms\n"
      "time in split       %10.3f ms\n"
      "time in emit        %10.3f ms\n"
      "time in link        %10.3f ms\n",
      modules, functions_known, stubs_made, functions_compiled, share, functions_baseline,
      functions_mcjit, functions_cached, promotions_made, promotions_failed, promotions_cached,
      objects_linked, objects_cached, objects_mcjit, object_bytes, code_bytes, memory.used.total(),
      memory.committed.total(), milliseconds(load), milliseconds(split), milliseconds(emit),
      milliseconds(link));
  std::string refusals;
  for (const auto& [reason, functions] : baseline_refusals) {
    absl::StrAppendFormat(&refusals, "not by baseline     %10d  %s\n", functions, reason);
  }
  for (const auto& [reason, requests] : refusals_without_llvm) {
    absl::StrAppendFormat(&refusals, "not without LLVM    %10d  %s\n", requests, reason);
  }
  if (functions_described + functions_not_described > 0) {
    absl::StrAppendFormat(&refusals,
                          "described           %10d  for a debugger\n"
                          "not described       %10d\n",
                          functions_described, functions_not_described);
  }
  std::string compiler = absl::StrFormat("compiler made for   %s\n",
                                         compiler_made_for.empty() ? "nothing" : compiler_made_for);
  if (compiler_made_after > absl::ZeroDuration()) {
    absl::StrAppendFormat(&compiler, "compiler made after %10.3f ms\n",
                          milliseconds(compiler_made_after));
  }
  return totals + refusals + compiler + promotions.ToString();
}

void StatsCollector::OnPublished(const PublishedObject& object) {
  absl::MutexLock lock(&mutex_);
  (object.is_cached ? stats_.functions_cached : stats_.functions_compiled) += object.function_count;
  if (object.is_cached) ++stats_.objects_cached;
  if (object.origin.generator == Generator::kBaseline) {
    stats_.functions_baseline += object.function_count;
  }
  if (object.origin.generator == Generator::kMcjit) {
    stats_.functions_mcjit += object.function_count;
  }
  if (object.linked_by_mcjit) ++stats_.objects_mcjit;
  if (!object.origin.refusal.empty() && object.function_count > 0) {
    stats_.baseline_refusals[std::string(object.origin.refusal)] += object.function_count;
  }
  if (object.is_optimized) {
    ++(object.is_cached ? stats_.promotions_cached : stats_.promotions_made);
  }
  ++stats_.objects_linked;
  stats_.object_bytes += object.object.size();
  stats_.code_bytes += object.code_bytes;
  stats_.split += object.split;
  stats_.emit += object.emit;
  stats_.link += object.link;
}

void StatsCollector::OnPromotionFailed(const FailedPromotion& failed) {
  absl::MutexLock lock(&mutex_);
  ++stats_.promotions_failed;
  stats_.last_failed_promotion = failed.status;
}

void StatsCollector::OnRemoved(const RemovedModule&) {
  absl::MutexLock lock(&mutex_);
  ++stats_.modules_removed;
}

void StatsCollector::OnModuleAdded(const AddedModule& module) {
  absl::MutexLock lock(&mutex_);
  ++stats_.modules;
  stats_.functions_known += module.index.function_count();
  stats_.load += module.load;
}

Stats StatsCollector::Collect() const {
  absl::MutexLock lock(&mutex_);
  return stats_;
}

}  // namespace firstcall
