// Formats measurements as text and JSON. Pure functions, thread-safe.

#ifndef FIRSTCALL_BENCHMARKS_REPORT_H_
#define FIRSTCALL_BENCHMARKS_REPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/bars.h"
#include "benchmarks/tournament.h"
#include "tools/measure/machine.h"

namespace firstcall::benchmarks {

// The programs that were compared, and the machine.
struct Setting {
  measure::Machine machine;
  std::string firstcall;  // version
  std::string lli;        // version
};

// One line for each of the two programs and the machine.
std::string FormatSetting(const Setting& setting);

// The results of one workload as a table: medians of the correct runs (of all runs if none was
// correct), and the wall time as a multiple of firstcall's, unless a run of either was faulty.
// `results` must not be empty.
std::string FormatWorkload(const std::vector<Result>& results);

// One line for each bar: the verdict, the measured value, and the numbers it comes from.
std::string FormatBars(const std::vector<Bar>& bars);

// All of this, with every sample, as one JSON object.
std::string FormatJson(const Setting& setting, const std::vector<Result>& results,
                       const std::vector<Bar>& bars);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_REPORT_H_
