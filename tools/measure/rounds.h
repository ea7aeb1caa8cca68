// Runs several commands in turns, so that a disturbance of the machine affects all of them alike,
// and judges each run by its exit status and its output.
//
// Thread-compatible.

#ifndef FIRSTCALL_TOOLS_MEASURE_ROUNDS_H_
#define FIRSTCALL_TOOLS_MEASURE_ROUNDS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/measure/process_run.h"

namespace firstcall::measure {

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
  std::string fault;    // empty if it ended and printed as the reference did; otherwise the fault
  std::string message;  // if there is a fault: the first line of standard error
};

// All runs of one contestant on one workload.
struct Result {
  std::string workload;
  std::string contestant;
  std::vector<std::string> command;
  int weight = 1;  // A brief contestant gets so many times as many runs.
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

// The fault of `run`: that it was killed or crashed, or differs from `reference`. Empty if there is
// none.
std::string FaultOf(const ProcessRun& run, const ProcessRun& reference);

// The rounds of one workload.
class Rounds {
 public:
  // Runs the contestant with that index in the results once.
  using Run = std::function<absl::StatusOr<ProcessRun>(size_t index)>;

  // Fills `results`, which must outlive this. A result that is `skipped` gets no runs. Without a
  // reference, the first run that exits becomes the reference.
  Rounds(const Schedule& schedule, Run run, std::vector<Result>* results,
         std::optional<ProcessRun> reference = std::nullopt);

  bool Over() const;

  // Runs each contestant that has runs left once. Each round starts with another contestant, so
  // that none always runs after the same neighbour; the first round starts with the first. Returns
  // the first error of a run. Blocks until the programs have ended.
  absl::Status RunOne();

  const std::optional<ProcessRun>& reference() const { return reference_; }

 private:
  absl::Status RunContestant(size_t index);

  const Schedule schedule_;
  const Run run_;
  std::vector<Result>& results_;
  std::optional<ProcessRun> reference_;
  std::vector<int> runs_left_;
  size_t round_ = 0;
};

}  // namespace firstcall::measure

#endif  // FIRSTCALL_TOOLS_MEASURE_ROUNDS_H_
