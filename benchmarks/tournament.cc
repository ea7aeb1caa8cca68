#include "benchmarks/tournament.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/process_run.h"
#include "benchmarks/statistics.h"

namespace firstcall::benchmarks {
namespace {

// The fault of `run`; empty if there is none.
std::string Judge(const ProcessRun& run, const ProcessRun& reference) {
  switch (run.end) {
    case ProcessRun::End::kTimedOut:
      return absl::StrCat("timed out after ",
                          absl::FormatDuration(absl::Trunc(run.wall, absl::Seconds(1))));
    case ProcessRun::End::kSignaled:
      return absl::StrCat("crash (", strsignal(run.code), ")");
    case ProcessRun::End::kExited:
      break;
  }
  if (run.code != reference.code) return absl::StrCat("exit status ", run.code);
  if (run.output != reference.output) return "wrong output";
  return "";
}

Sample ToSample(const ProcessRun& run, const ProcessRun& reference) {
  Sample sample;
  sample.wall_ms = absl::ToDoubleMilliseconds(run.wall);
  sample.cpu_ms = absl::ToDoubleMilliseconds(run.cpu);
  sample.peak_mib = run.peak_rss_kib / 1024.0;
  sample.fault = Judge(run, reference);
  return sample;
}

// Runs the program compiled ahead of time, whose output is the reference.
absl::StatusOr<ProcessRun> RunReference(const Workload& workload, const Schedule& schedule) {
  absl::StatusOr<ProcessRun> run =
      RunProcess(CommandLine(Contestant{"native", {}}, workload), schedule.time_limit);
  if (!run.ok()) return run;
  ProcessRun success;
  success.output = run->output;
  std::string fault = Judge(*run, success);
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
  const double smaller_s = Median(smaller->Figures(&Sample::wall_ms)) / 1000;
  if (smaller_s * workload.times <= absl::ToDoubleSeconds(schedule.time_limit)) return "";
  return absl::StrFormat("skipped: %.1f s for %s, %d times smaller", smaller_s,
                         workload.larger_than, workload.times);
}

// The rounds of one workload, and how many runs each contestant has left.
class Rounds {
 public:
  Rounds(const Schedule& schedule, std::vector<Result>* results)
      : schedule_(schedule), results_(*results), runs_left_(results->size(), 1) {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (!results_[i].skipped.empty()) runs_left_[i] = 0;
    }
  }

  bool Over() const {
    return std::all_of(runs_left_.begin(), runs_left_.end(), [](int left) { return left == 0; });
  }

  // Runs each contestant that has runs left once. Each round starts with another contestant, so
  // that none always runs after the same neighbour.
  absl::Status RunOne(const ProcessRun& reference) {
    for (size_t turn = 0; turn < results_.size(); ++turn) {
      const size_t i = (turn + round_) % results_.size();
      if (runs_left_[i] == 0) continue;
      absl::StatusOr<ProcessRun> run = RunProcess(results_[i].command, schedule_.time_limit);
      if (!run.ok()) return run.status();
      const bool first = !results_[i].Measured();
      results_[i].samples.push_back(ToSample(*run, reference));
      if (first) {
        const bool timed_out = run->end == ProcessRun::End::kTimedOut;
        runs_left_[i] = timed_out ? 1 : RunsFor(run->wall, schedule_, results_[i].weight);
      }
      --runs_left_[i];
    }
    ++round_;
    return absl::OkStatus();
  }

 private:
  const Schedule& schedule_;
  std::vector<Result>& results_;
  std::vector<int> runs_left_;
  size_t round_ = 0;
};

}  // namespace

std::string Result::Fault() const {
  std::string fault;
  size_t count = 0;
  for (const Sample& sample : samples) {
    if (sample.fault.empty()) continue;
    ++count;
    if (fault.empty()) fault = sample.fault;
  }
  if (count == 0 || count == samples.size()) return fault;
  return absl::StrFormat("%s in %d of %d runs", fault, count, samples.size());
}

bool Result::EverRight() const {
  return std::any_of(samples.begin(), samples.end(),
                     [](const Sample& sample) { return sample.fault.empty(); });
}

std::vector<double> Result::Figures(double Sample::*figure) const {
  const bool only_right = EverRight();
  std::vector<double> figures;
  for (const Sample& sample : samples) {
    if (sample.fault.empty() || !only_right) figures.push_back(sample.*figure);
  }
  return figures;
}

int RunsFor(absl::Duration first, const Schedule& schedule, int weight) {
  const int most = schedule.rounds * (first < schedule.brief ? schedule.brief_factor * weight : 1);
  const double affordable = absl::FDivDuration(schedule.allowance, first);
  return std::max(1, static_cast<int>(std::min<double>(most, affordable)));
}

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
  absl::StatusOr<ProcessRun> reference = RunReference(workload, schedule);
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
  Rounds rounds(schedule, &results);
  while (!rounds.Over()) {
    if (absl::Status status = rounds.RunOne(*reference); !status.ok()) return status;
  }
  return results;
}

}  // namespace firstcall::benchmarks
