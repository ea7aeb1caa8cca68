// Runs a workload with all contestants in turns, and judges each run by its output.
//
// Thread-compatible.

#ifndef FIRSTCALL_BENCHMARKS_TOURNAMENT_H_
#define FIRSTCALL_BENCHMARKS_TOURNAMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmarks/contestant.h"
#include "benchmarks/workload.h"
#include "tools/measure/rounds.h"

namespace firstcall::benchmarks {

using measure::Result;
using measure::Sample;
using measure::Schedule;

// The result of that contestant on that workload, or null. Points into `results`.
const Result* Find(const std::vector<Result>& results, absl::string_view workload,
                   absl::string_view contestant);

// Runs the workload and returns one result for each contestant, in their order. `earlier` has the
// results of earlier workloads. Fails only if a program cannot be started, or if the reference, the
// program compiled ahead of time, fails.
absl::StatusOr<std::vector<Result>> Compete(const Workload& workload,
                                            const std::vector<Contestant>& contestants,
                                            const Schedule& schedule,
                                            const std::vector<Result>& earlier);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_TOURNAMENT_H_
