#include "tools/measure/rounds.h"

#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace firstcall::measure {

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

std::string FaultOf(const ProcessRun& run, const ProcessRun& reference) {
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

Rounds::Rounds(const Schedule& schedule, Run run, std::vector<Result>* results,
               std::optional<ProcessRun> reference)
    : schedule_(schedule),
      run_(std::move(run)),
      results_(*results),
      reference_(std::move(reference)),
      runs_left_(results->size(), 1) {
  for (size_t i = 0; i < results_.size(); ++i) {
    if (!results_[i].skipped.empty()) runs_left_[i] = 0;
  }
}

bool Rounds::Over() const {
  return std::all_of(runs_left_.begin(), runs_left_.end(), [](int left) { return left == 0; });
}

absl::Status Rounds::RunContestant(size_t index) {
  Result& result = results_[index];
  absl::StatusOr<ProcessRun> run = run_(index);
  if (!run.ok()) return run.status();
  if (!reference_.has_value() && run->end == ProcessRun::End::kExited) reference_ = *run;
  Sample sample;
  sample.wall_ms = absl::ToDoubleMilliseconds(run->wall);
  sample.cpu_ms = absl::ToDoubleMilliseconds(run->cpu);
  sample.peak_mib = run->peak_rss_kib / 1024.0;
  sample.fault = FaultOf(*run, reference_.value_or(ProcessRun()));
  if (!sample.fault.empty()) sample.message = run->errors.substr(0, run->errors.find('\n'));
  const bool is_first = !result.Measured();
  result.samples.push_back(std::move(sample));
  if (is_first) {
    const bool timed_out = run->end == ProcessRun::End::kTimedOut;
    runs_left_[index] = timed_out ? 1 : RunsFor(run->wall, schedule_, result.weight);
  }
  --runs_left_[index];
  return absl::OkStatus();
}

absl::Status Rounds::RunOne() {
  for (size_t turn = 0; turn < results_.size(); ++turn) {
    const size_t index = (turn + round_) % results_.size();
    if (runs_left_[index] == 0) continue;
    if (absl::Status status = RunContestant(index); !status.ok()) return status;
  }
  ++round_;
  return absl::OkStatus();
}

}  // namespace firstcall::measure
