#include "clients/mcjit/report.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "clients/mcjit/environment.h"
#include "clients/orc/orc_statistics.h"

namespace firstcall {
namespace {

void Print(int number, absl::string_view text) {
  const std::string line = absl::StrCat("firstcall: MCJIT engine ", number, ": ", text, "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

int NextNumber() {
  static std::atomic<int> last{0};
  return ++last;
}

}  // namespace

// The reports of engines that still exist. Never destroyed, because it is used at exit.
class OpenReports {
 public:
  static OpenReports& Get() {
    static auto* const reports = [] {
      auto* const made = new OpenReports;
      std::atexit([] { Get().PrintAll(); });
      return made;
    }();
    return *reports;
  }

  void Add(EngineReport* report) {
    absl::MutexLock lock(&mutex_);
    reports_.insert({report->number_, report});
  }

  bool Remove(EngineReport* report) {
    absl::MutexLock lock(&mutex_);
    return reports_.erase({report->number_, report}) != 0;
  }

 private:
  void PrintAll() {
    absl::MutexLock lock(&mutex_);
    for (const auto& [number, report] : reports_) report->PrintSummary();
    reports_.clear();
  }

  absl::Mutex mutex_;
  std::set<std::pair<int, EngineReport*>> reports_ ABSL_GUARDED_BY(mutex_);
};

void ReportMcjitsOwn(absl::string_view module, absl::string_view reason) {
  if (!Environment::Get().prints_stats) return;
  Print(NextNumber(), absl::StrCat("'", module, "': not lazy: ", reason));
}

void ReportWholeModulesAtExit() {
  static const bool is_registered =
      Environment::Get().prints_stats &&
      std::atexit([] {
        const std::string text = absl::StrCat(
            "firstcall: modules that MCJIT engines compiled whole\n", OrcStatisticsText());
        std::fwrite(text.data(), 1, text.size(), stderr);
      }) == 0;
  (void)is_registered;
}

EngineReport::EngineReport(absl::string_view module, std::function<std::string()> summary)
    : number_(Environment::Get().prints_stats ? NextNumber() : 0), summary_(std::move(summary)) {
  if (number_ == 0) return;
  Print(number_, absl::StrCat("'", module, "': lazy"));
  OpenReports::Get().Add(this);
}

EngineReport::~EngineReport() {
  if (number_ != 0 && OpenReports::Get().Remove(this)) PrintSummary();
}

void EngineReport::OnWholeModule(absl::string_view module, absl::string_view reason) {
  if (number_ != 0) {
    Print(number_, absl::StrCat("module '", module, "' is compiled whole: ", reason));
  }
}

void EngineReport::PrintSummary() { Print(number_, absl::StrCat("statistics\n", summary_())); }

}  // namespace firstcall
