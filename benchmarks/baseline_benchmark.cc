// Question: how do the two code generators of tier 0 compare, in how long they take, and in the
// speed and the size of their code?
//
// Baseline: LLVM at -O0, which --baseline=off leaves the functions to.
//
//   bazel run -c opt //benchmarks:baseline -- DIR [RUNS]
//
// DIR is the directory that fetch_workloads.sh has filled. Programs that compute, from the front
// end's bitcode before any pass and from that after opt -O2, run as whole processes in turns; a
// program's ratio is that of the medians of RUNS (3), of which each takes a quarter of an hour. The
// bytes are those of a run's code. The time of code generation is that of programs that start, as
// --stats says it, medians of RUNS. Bars: the geometric means of time and of bytes at most 1.0;
// code generation 8 times as fast.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
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
#include "benchmarks/report.h"
#include "benchmarks/tournament.h"
#include "benchmarks/workload.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/machine.h"
#include "tools/measure/process_run.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr double kMostOfLlvm = 1.0;
constexpr double kTimesAsFast = 8;

// Temporary files for the statistics of the two generators.
class StatisticsFiles {
 public:
  StatisticsFiles() {
    for (std::string& path : paths_) {
      const int file = mkstemp(path.data());
      if (file >= 0) close(file);
    }
  }
  ~StatisticsFiles() {
    for (const std::string& path : paths_) unlink(path.c_str());
  }
  const std::string& path(int generator) const { return paths_[generator]; }

 private:
  std::string paths_[2] = {"/tmp/baseline_benchmark.XXXXXX", "/tmp/baseline_benchmark.XXXXXX"};
};

// The statistics of a run go to `file`.
Contestant WithBaseline(const std::string& firstcall, bool is_on, bool takes_optimized,
                        const std::string& file) {
  Contestant contestant;
  contestant.name = absl::StrCat(is_on ? "baseline" : "LLVM -O0", takes_optimized ? ", opt" : "");
  contestant.command = {
      "/bin/sh",  "-c",      absl::StrCat("exec \"$0\" \"$@\" 2>", file), firstcall,
      "--tier=0", "--stats", is_on ? "--baseline=on" : "--baseline=off"};
  contestant.takes_optimized = takes_optimized;
  return contestant;
}

// The figure of --stats whose line begins with `name`, from the file that the statistics went to.
absl::StatusOr<double> Statistic(const std::string& file, absl::string_view name) {
  std::ifstream stream(file);
  std::string text;
  while (std::getline(stream, text)) {
    absl::string_view line = text;
    if (!absl::ConsumePrefix(&line, name)) continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    double figure = 0;
    if (!words.empty() && absl::SimpleAtod(words.front(), &figure)) return figure;
  }
  return absl::NotFoundError(absl::StrCat("no ", name, " in ", file));
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
  const StatisticsFiles files;
  Schedule schedule;
  schedule.rounds = rounds;
  schedule.allowance = absl::Minutes(5);
  const std::vector<Contestant> contestants = {
      WithBaseline(firstcall, true, takes_optimized, files.path(0)),
      WithBaseline(firstcall, false, takes_optimized, files.path(1))};
  FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<Result> results,
                             Compete(workload, contestants, schedule, {}));
  for (const Result& result : results) {
    if (!result.EverRight()) {
      return absl::InternalError(
          absl::StrCat(workload.name, " with ", result.contestant, ": ", result.Fault()));
    }
  }
  Ratios ratios;
  ratios.time = measure::MedianRatio(results[0].Figures(&Sample::wall_ms),
                                     results[1].Figures(&Sample::wall_ms));
  double bytes[2];
  for (int i : {0, 1}) {
    FIRSTCALL_ASSIGN_OR_RETURN(bytes[i], Statistic(files.path(i), "code bytes"));
  }
  ratios.bytes = bytes[0] / bytes[1];
  return ratios;
}

absl::StatusOr<Bar> CompareGeneration(const std::string& firstcall, const Workload& workload,
                                      int rounds) {
  const StatisticsFiles files;
  std::vector<double> times[2];
  for (int round = 0; round < rounds; ++round) {
    for (int i : {0, 1}) {
      const Contestant contestant = WithBaseline(firstcall, i == 0, false, files.path(i));
      FIRSTCALL_RETURN_IF_ERROR(
          measure::RunProcess(CommandLine(contestant, workload), absl::Minutes(2)).status());
      FIRSTCALL_ASSIGN_OR_RETURN(const double time, Statistic(files.path(i), "time in emit"));
      times[i].push_back(time);
    }
  }
  return AtLeast(
      absl::StrFormat("%s: code generation, at least %.0f times as fast as LLVM -O0's",
                      workload.name, kTimesAsFast),
      measure::MedianRatio(times[1], times[0]), kTimesAsFast,
      absl::StrFormat("%.1f ms : %.1f ms", measure::Median(times[0]), measure::Median(times[1])));
}

absl::Status Run(const std::string& firstcall, const std::string& directory, int rounds) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::string version, measure::DescribeProgram(firstcall));
  absl::PrintF("%s\n%-28s %8s %8s\n",
               FormatSetting({measure::DescribeMachine(), version, "not run"}),
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
