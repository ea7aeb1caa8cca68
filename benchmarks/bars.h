// The bars firstcall has set itself, held against measured results: of any benchmark, and all those
// for starting up.

#ifndef FIRSTCALL_BENCHMARKS_BARS_H_
#define FIRSTCALL_BENCHMARKS_BARS_H_

#include <string>
#include <vector>

#include "benchmarks/tournament.h"

namespace firstcall::benchmarks {

// One bar and what was measured for it.
struct Bar {
  enum class Verdict { kMet, kMissed, kUnknown };

  std::string claim;  // what is compared with what, and the bar
  double measured = 0;
  Verdict verdict = Verdict::kUnknown;
  std::string numbers;  // what `measured` was computed from, or why it could not be
};

// "met", "missed" or "unknown".
const char* Name(Bar::Verdict verdict);

// What is met if `measured` is at most or at least `limit`, which is said in the claim.
Bar AtMost(std::string claim, double measured, double limit, std::string numbers);
Bar AtLeast(std::string claim, double measured, double limit, std::string numbers);

// Every bar for starting up, each computed from the results of one run of the benchmark. A
// firstcall that crashed, printed something wrong or ran out of time has missed; a missing or
// faulty rival leaves it unknown.
std::vector<Bar> ComputeBars(const std::vector<Result>& results);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_BARS_H_
