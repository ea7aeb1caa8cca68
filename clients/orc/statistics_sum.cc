#include "clients/orc/statistics_sum.h"

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"

namespace firstcall {
namespace {

struct Sum {
  absl::Mutex mutex;
  OrcStatistics statistics ABSL_GUARDED_BY(mutex);
};

// Never destroyed, because threads may compile, and statistics be printed, while the process exits.
Sum& TheSum() {
  static auto* const sum = new Sum;
  return *sum;
}

void AddReasons(const std::map<std::string, uint64_t>& more, std::map<std::string, uint64_t>& sum) {
  for (const auto& [reason, count] : more) sum[reason] += count;
}

std::string TextOf(const std::map<std::string, uint64_t>& reasons) {
  std::string text;
  for (const auto& [reason, count] : reasons)
    absl::StrAppend(&text, "    ", count, " ", reason, "\n");
  return text;
}

}  // namespace

void AddToOrcStatistics(const OrcStatistics& more) {
  Sum& sum = TheSum();
  absl::MutexLock lock(&sum.mutex);
  OrcStatistics& all = sum.statistics;
  all.modules += more.modules;
  all.whole_modules += more.whole_modules;
  all.cached_modules += more.cached_modules;
  all.baseline_functions += more.baseline_functions;
  all.llvm_functions += more.llvm_functions;
  all.baseline_seconds += more.baseline_seconds;
  all.llvm_seconds += more.llvm_seconds;
  AddReasons(more.whole_by_reason, all.whole_by_reason);
  AddReasons(more.refused_by_reason, all.refused_by_reason);
}

OrcStatistics GetOrcStatistics() {
  Sum& sum = TheSum();
  absl::MutexLock lock(&sum.mutex);
  return sum.statistics;
}

std::string OrcStatisticsText() {
  const OrcStatistics sum = GetOrcStatistics();
  std::string text = absl::StrFormat(
      "  modules: %d (by LLVM as a whole: %d; from an object cache: %d)\n"
      "  functions by the baseline code generator: %d, in %.3f ms\n"
      "  functions by LLVM: %d, in %.3f ms\n",
      sum.modules, sum.whole_modules, sum.cached_modules, sum.baseline_functions,
      sum.baseline_seconds * 1e3, sum.llvm_functions, sum.llvm_seconds * 1e3);
  if (!sum.whole_by_reason.empty()) {
    absl::StrAppend(&text, "  modules by LLVM as a whole, because of\n",
                    TextOf(sum.whole_by_reason));
  }
  if (!sum.refused_by_reason.empty()) {
    absl::StrAppend(&text, "  definitions of others by LLVM, because of\n",
                    TextOf(sum.refused_by_reason));
  }
  return text;
}

}  // namespace firstcall
