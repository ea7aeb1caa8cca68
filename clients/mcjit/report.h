// What FIRSTCALL_STATS prints on standard error: for each engine whether it is lazy, and if not,
// why not; and at its end what it has done.
//
// Thread-safe.

#ifndef FIRSTCALL_CLIENTS_MCJIT_REPORT_H_
#define FIRSTCALL_CLIENTS_MCJIT_REPORT_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace firstcall {

// For an engine that is MCJIT's own: `module` is the module that it was created with.
void ReportMcjitsOwn(absl::string_view module, absl::string_view reason);

// When the process exits, prints what the baseline code generator and LLVM have made of the modules
// that engines compile whole.
void ReportWholeModulesAtExit();

// For a lazy engine. `summary` returns its statistics; they are printed when the report ends, or
// when the process exits before that. Nothing is printed, and `summary` is not called, unless
// FIRSTCALL_STATS is set.
class EngineReport {
 public:
  EngineReport(absl::string_view module, std::function<std::string()> summary);
  // Prints the statistics.
  ~EngineReport();
  EngineReport(const EngineReport&) = delete;
  EngineReport& operator=(const EngineReport&) = delete;

  // A module that MCJIT compiles whole.
  void OnWholeModule(absl::string_view module, absl::string_view reason);

 private:
  friend class OpenReports;
  void PrintSummary();

  const int number_;  // 0 if nothing is printed.
  const std::function<std::string()> summary_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_REPORT_H_
