// Lets all contestants run a workload in turns, so that what disturbs the machine for a while
// disturbs all of them alike, and judges what each run printed.
//
// Thread-compatible.

#ifndef FIRSTCALL_BENCHMARKS_TOURNAMENT_H_
#define FIRSTCALL_BENCHMARKS_TOURNAMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "benchmarks/contestant.h"
#include "benchmarks/workload.h"

namespace firstcall::benchmarks {

// How often and how long.
struct Schedule {
  int rounds = 5;
  // For one run; who needs longer is killed and gets no second run.
  absl::Duration time_limit = absl::Seconds(60);
  // For all runs of one contestant on one workload: the slow get fewer than `rounds`.
  absl::Duration allowance = absl::Seconds(5);
  // Runs shorter than this get `brief_factor` times as many: the same disturbance is a larger part
  // of them.
  absl::Duration brief = absl::Milliseconds(60);
  int brief_factor = 3;
};

// One run, judged.
struct Sample {
  double wall_ms = 0;
  double cpu_ms = 0;
  double peak_mib = 0;
  std::string fault;  // empty if it ended and printed as the reference did; otherwise what it did
};

// All runs of one contestant on one workload.
struct Result {
  std::string workload;
  std::string contestant;
  std::vector<std::string> command;
  int weight = 1;  // the contestant's
  std::vector<Sample> samples;
  std::string skipped;  // why it was not run at all; empty if it was

  bool Measured() const { return !samples.empty(); }
  bool EverRight() const;
  // Empty if every run was right; otherwise what was wrong, and how often unless always.
  std::string Fault() const;
  // One figure of every run that was right or, if none was, of every run.
  std::vector<double> Figures(double Sample::*figure) const;
};

// How many runs a contestant of that weight gets whose first run took `first`. At least 1.
int RunsFor(absl::Duration first, const Schedule& schedule, int weight = 1);

// The result of that contestant on that workload, or null; a pointer into `results`.
const Result* Find(const std::vector<Result>& results, absl::string_view workload,
                   absl::string_view contestant);

// Runs the workload and returns one result for each contestant, in their order. `earlier` holds the
// results of the workloads before. Fails only if something cannot be started or the reference, the
// program compiled ahead of time, fails.
absl::StatusOr<std::vector<Result>> Compete(const Workload& workload,
                                            const std::vector<Contestant>& contestants,
                                            const Schedule& schedule,
                                            const std::vector<Result>& earlier);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_TOURNAMENT_H_
