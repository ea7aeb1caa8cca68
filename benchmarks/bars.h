// The bars: limits that firstcall sets itself, and how measured results compare with them. For any
// benchmark; ComputeBars is for the start-up benchmark.

#ifndef FIRSTCALL_BENCHMARKS_BARS_H_
#define FIRSTCALL_BENCHMARKS_BARS_H_

#include <string>
#include <vector>

#include "benchmarks/tournament.h"

namespace firstcall::benchmarks {

// One bar, and what was measured for it.
struct Bar {
  enum class Verdict { kMet, kMissed, kUnknown };

  std::string claim;  // what is compared with what, and the bar
  double measured = 0;
  Verdict verdict = Verdict::kUnknown;
  std::string numbers;  // what `measured` was computed from, or why it could not be
};

// "met", "missed" or "unknown".
const char* Name(Bar::Verdict verdict);

// A bar that is met if `measured` is at most, or at least, `limit`. The claim names the limit.
Bar AtMost(std::string claim, double measured, double limit, std::string numbers);
Bar AtLeast(std::string claim, double measured, double limit, std::string numbers);

// All bars of the start-up benchmark, computed from the results of one run of it. If firstcall
// crashed, printed something wrong or ran out of time, the bar is missed. If a rival is missing or
// faulty, the verdict is unknown.
std::vector<Bar> ComputeBars(const std::vector<Result>& results);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_BARS_H_
