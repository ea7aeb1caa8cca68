// What `firstcall bench` has measured, as a table and as JSON. Pure functions, thread-safe. Tested
// in tests/command/bench_test.cc.

#ifndef FIRSTCALL_TOOLS_BENCH_RESULTS_H_
#define FIRSTCALL_TOOLS_BENCH_RESULTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/bench_options.h"
#include "tools/measure/machine.h"
#include "tools/measure/rounds.h"

namespace firstcall {

inline constexpr absl::string_view kFirstStart = "firstcall, first start";
inline constexpr absl::string_view kSecondStart = "firstcall, second start";

struct BenchResults {
  BenchOptions options;
  measure::Machine machine;
  std::string firstcall;  // version
  std::string lli;        // version; empty: there is none
  // What this process added to the peak memory of a program that needs less.
  double least_peak_mib = 0;
  int exit_status = 0;  // that of the reference
  // In the order of the report. The first that was run is what the others are compared with.
  std::vector<measure::Result> contestants;
};

std::string FormatBenchTable(const BenchResults& results);

// One object: the setting, and for each contestant the medians, their confidence intervals, and
// every run.
std::string FormatBenchJson(const BenchResults& results);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_BENCH_RESULTS_H_
