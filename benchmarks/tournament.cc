#include "benchmarks/tournament.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/measure/process_run.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

// Runs the program compiled ahead of time, whose output is the reference.
absl::StatusOr<measure::ProcessRun> RunReference(const Workload& workload,
                                                 const Schedule& schedule) {
  absl::StatusOr<measure::ProcessRun> run = measure::RunProcess(
      CommandLine(Contestant{"native", {}}, workload), schedule.time_limit, {workload.input});
  if (!run.ok()) return run;
  measure::ProcessRun success;
  success.output = run->output;
  std::string fault = measure::FaultOf(*run, success);
  if (fault.empty() && run->output.empty()) fault = "no output to compare with";
  if (fault.empty()) return run;
  return absl::FailedPreconditionError(
      absl::StrCat("run reference of ", workload.name, ": ", workload.native, ": ", fault));
}

// Why the contestant is not started on this workload; empty if it is started.
std::string ReasonToSkip(const Workload& workload, const Contestant& contestant,
                         const Schedule& schedule, const std::vector<Result>& earlier) {
  const Result* smaller = Find(earlier, workload.larger_than, contestant.name);
  if (smaller == nullptr || !smaller->Measured()) return "";
  const double smaller_s = measure::Median(smaller->Figures(&Sample::wall_ms)) / 1000;
  if (smaller_s * workload.times <= absl::ToDoubleSeconds(schedule.time_limit)) return "";
  return absl::StrFormat("skipped: %.1f s for %s, %d times smaller", smaller_s,
                         workload.larger_than, workload.times);
}

}  // namespace

const Result* Find(const std::vector<Result>& results, absl::string_view workload,
                   absl::string_view contestant) {
  for (const Result& result : results) {
    if (result.workload == workload && result.contestant == contestant) return &result;
  }
  return nullptr;
}

absl::StatusOr<std::vector<Result>> Compete(const Workload& workload,
                                            const std::vector<Contestant>& contestants,
                                            const Schedule& schedule,
                                            const std::vector<Result>& earlier) {
  absl::StatusOr<measure::ProcessRun> reference = RunReference(workload, schedule);
  if (!reference.ok()) return reference.status();
  std::vector<Result> results;
  for (const Contestant& contestant : contestants) {
    Result result;
    result.workload = workload.name;
    result.contestant = contestant.name;
    result.command = CommandLine(contestant, workload);
    result.weight = contestant.weight;
    result.skipped = ReasonToSkip(workload, contestant, schedule, earlier);
    results.push_back(std::move(result));
  }
  measure::Rounds rounds(
      schedule,
      [&](size_t i) {
        return measure::RunProcess(results[i].command, schedule.time_limit, {workload.input});
      },
      &results, *std::move(reference));
  while (!rounds.Over()) {
    if (absl::Status status = rounds.RunOne(); !status.ok()) return status;
  }
  return results;
}

}  // namespace firstcall::benchmarks
