// Question: how do the two code generators of tier 0 compare, in how long they take, and in the
// speed and the size of their code?
//
// Baseline: LLVM at -O0, which --baseline=off leaves the functions to.
//
//   bazel run -c opt //benchmarks:baseline -- DIR [RUNS]
//
// DIR is the directory that fetch_workloads.sh has filled. Programs that compute, from the front
// end's bitcode before any pass and from that after opt -O2, run as whole processes in turns; a
// program's ratio is that of the medians of RUNS (3). The bytes are those of a run's code. The time
// of code generation is that of programs that start, as --stats says it, medians of RUNS. Bars: the
// geometric means of time and of bytes at most 1.0; code generation 8 times as fast.

#include <stdio.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "benchmarks/bars.h"
#include "benchmarks/contestant.h"
#include "benchmarks/machine.h"
#include "benchmarks/process_run.h"
#include "benchmarks/report.h"
#include "benchmarks/statistics.h"
#include "benchmarks/tournament.h"
#include "benchmarks/workload.h"
#include "tools/cpp/runfiles/runfiles.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr double kMostOfLlvm = 1.0;
constexpr double kTimesAsFast = 8;

Contestant WithBaseline(const std::string& firstcall, bool is_on, bool takes_optimized) {
  Contestant contestant;
  contestant.name = absl::StrCat(is_on ? "baseline" : "LLVM -O0", takes_optimized ? ", opt" : "");
  contestant.command = {firstcall, "--tier=0", is_on ? "--baseline=on" : "--baseline=off"};
  contestant.takes_optimized = takes_optimized;
  return contestant;
}

// One figure of --stats for a run of `contestant` on `workload`; its line begins with `name`.
absl::StatusOr<double> Statistic(Contestant contestant, const Workload& workload,
                                 absl::string_view name) {
  contestant.command.push_back("--stats");
  std::vector<std::string> command = {"/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&1 >/dev/null"};
  for (std::string& argument : CommandLine(contestant, workload)) {
    command.push_back(std::move(argument));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(const ProcessRun run, RunProcess(command, absl::Minutes(2)));
  for (absl::string_view line : absl::StrSplit(run.output, '\n')) {
    if (!absl::ConsumePrefix(&line, name)) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    double figure = 0;
    if (!words.empty() && absl::SimpleAtod(words.front(), &figure)) return figure;
  }
  return absl::NotFoundError(
      absl::StrCat(workload.name, " with ", contestant.name, " printed no ", name));
}

double GeometricMean(const std::vector<double>& ratios) {
  double sum = 0;
  for (double ratio : ratios) sum += std::log(ratio);
  return std::exp(sum / static_cast<double>(ratios.size()));
}

// The ratios of baseline to LLVM for one program: time, bytes.
struct Ratios {
  double time = 0;
  double bytes = 0;
};

absl::StatusOr<Ratios> Compare(const std::string& firstcall, const Workload& workload,
                               bool takes_optimized, int rounds) {
  Schedule schedule;
  schedule.rounds = rounds;
  schedule.allowance = absl::Minutes(5);
  const std::vector<Contestant> contestants = {WithBaseline(firstcall, true, takes_optimized),
                                               WithBaseline(firstcall, false, takes_optimized)};
  FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<Result> results,
                             Compete(workload, contestants, schedule, {}));
  for (const Result& result : results) {
    if (!result.EverRight()) {
      return absl::InternalError(
          absl::StrCat(workload.name, " with ", result.contestant, ": ", result.Fault()));
    }
  }
  Ratios ratios;
  ratios.time =
      MedianRatio(results[0].Figures(&Sample::wall_ms), results[1].Figures(&Sample::wall_ms));
  double bytes[2];
  for (int i : {0, 1}) {
    FIRSTCALL_ASSIGN_OR_RETURN(bytes[i], Statistic(contestants[i], workload, "code bytes"));
  }
  ratios.bytes = bytes[0] / bytes[1];
  return ratios;
}

absl::StatusOr<Bar> CompareGeneration(const std::string& firstcall, const Workload& workload,
                                      int rounds) {
  std::vector<double> times[2];
  for (int round = 0; round < rounds; ++round) {
    for (int i : {0, 1}) {
      FIRSTCALL_ASSIGN_OR_RETURN(
          const double time,
          Statistic(WithBaseline(firstcall, i == 0, false), workload, "time in emit"));
      times[i].push_back(time);
    }
  }
  return AtLeast(absl::StrFormat("%s: code generation, at least %.0f times as fast as LLVM -O0's",
                                 workload.name, kTimesAsFast),
                 MedianRatio(times[1], times[0]), kTimesAsFast,
                 absl::StrFormat("%.1f ms : %.1f ms", Median(times[0]), Median(times[1])));
}

absl::Status Run(const std::string& firstcall, const std::string& directory, int rounds) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string version, DescribeProgram(firstcall));
  absl::PrintF("%s\n%-28s %8s %8s\n", FormatSetting({DescribeMachine(), version, "not run"}),
               "baseline over LLVM -O0", "time", "bytes");
  std::vector<double> times, bytes;
  for (const Workload& workload : ComputeWorkloads(directory)) {
    for (bool takes_optimized : {false, true}) {
      FIRSTCALL_ASSIGN_OR_RETURN(const Ratios ratios,
                                 Compare(firstcall, workload, takes_optimized, rounds));
      absl::PrintF("%-28s %8.2f %8.2f\n",
                   absl::StrCat(workload.name, takes_optimized ? ", after opt -O2" : ""),
                   ratios.time, ratios.bytes);
      fflush(stdout);
      times.push_back(ratios.time);
      bytes.push_back(ratios.bytes);
    }
  }
  std::vector<Bar> bars = {
      AtMost("time of computing programs, geometric mean over LLVM -O0's at most 1.0",
             GeometricMean(times), kMostOfLlvm, absl::StrCat(times.size(), " programs")),
      AtMost("bytes of their code, geometric mean over LLVM -O0's at most 1.0",
             GeometricMean(bytes), kMostOfLlvm, absl::StrCat(bytes.size(), " programs"))};
  for (const Workload& workload : AllWorkloads(directory)) {
    if (workload.name != "sq" && workload.name != "sqO2" && workload.name != "luaO2" &&
        workload.name != "stream") {
      continue;
    }
    FIRSTCALL_ASSIGN_OR_RETURN(Bar bar, CompareGeneration(firstcall, workload, 3 * rounds));
    bars.push_back(std::move(bar));
  }
  absl::PrintF("\n%s", FormatBars(bars));
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  int rounds = 3;
  if (argc < 2 || (argc > 2 && (!absl::SimpleAtoi(argv[2], &rounds) || rounds < 1))) {
    absl::FPrintF(stderr, "usage: baseline DIR [RUNS]\n");
    return 2;
  }
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  const absl::Status status =
      runfiles == nullptr ? absl::NotFoundError(error)
                          : Run(runfiles->Rlocation("firstcall/tools/firstcall"), argv[1], rounds);
  if (status.ok()) return 0;
  fflush(stdout);
  absl::FPrintF(stderr, "baseline: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
