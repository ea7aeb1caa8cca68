// Runs a workload with all contestants in turns, so that a disturbance of the machine affects all
// of them alike, and judges each run by its output.
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

// How many runs there are, and how long they may take.
struct Schedule {
  int rounds = 5;
  // For one run. A contestant that needs longer is killed and gets no second run.
  absl::Duration time_limit = absl::Seconds(60);
  // For all runs of one contestant on one workload: a slow contestant gets fewer than `rounds`.
  absl::Duration allowance = absl::Seconds(5);
  // A contestant whose runs are shorter than this gets `brief_factor` times as many, because a
  // disturbance is a larger part of a short run.
  absl::Duration brief = absl::Milliseconds(60);
  int brief_factor = 3;
};

// One run and its judgement.
struct Sample {
  double wall_ms = 0;
  double cpu_ms = 0;
  double peak_mib = 0;
  std::string fault;  // empty if it ended and printed as the reference did; otherwise the fault
};

// All runs of one contestant on one workload.
struct Result {
  std::string workload;
  std::string contestant;
  std::vector<std::string> command;
  int weight = 1;  // the contestant's
  std::vector<Sample> samples;
  std::string skipped;  // why it was not run; empty if it was

  bool Measured() const { return !samples.empty(); }
  bool EverRight() const;
  // Empty if all runs were correct; otherwise the fault, and how often it occurred if not always.
  std::string Fault() const;
  // One figure of each correct run, or of each run if none was correct.
  std::vector<double> Figures(double Sample::*figure) const;
};

// How many runs a contestant of that weight gets if its first run took `first`. At least 1.
int RunsFor(absl::Duration first, const Schedule& schedule, int weight = 1);

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
