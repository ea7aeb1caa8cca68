// Question: how long does a program that computes for seconds take, from the start of the process
// to its end, in comparison with the best other ways to run it?
//
//   bazel run -c opt //benchmarks:compute -- [--bars | --long | --others] DIR [RUNS [NAME...]]
//
// DIR is the directory that fetch_workloads.sh has filled, or fetch_others.sh for --others. With
// --bars, --tier=0 and --tier=1 do not take part, because there is no bar about them. With --long
// the programs run three times as long, and only firstcall and the program compiled ahead of time
// take part. Baselines: lli's kinds mcjit and orc, at their default optimization, on the bitcode
// after opt -O2; and the program compiled ahead of time by clang -O2. firstcall gets the bitcode
// that the front end emits for -O2, before any pass. Whole processes are measured, in turns; the
// results are medians of RUNS (5). Bars, for default settings, without a cache: at most 1.05 times
// the better of lli's kinds, and at most 1.10 times the program compiled ahead of time (1.15 for
// Lua and SQLite; 1.02 on the geometric mean). With a cache that two earlier runs have filled: at
// most 1.05 times for Lua and SQLite, and 1.03 on the geometric mean of the others. Of programs
// that run three times as long: at most 0.98 on the geometric mean, and 1.02 for sorting and
// virtual calls.
//
// With --others, firstcall and the program compiled ahead of time run programs that others wrote,
// which take 0.2 to 2 seconds, and RUNS is 3. What counts is the processor time of the whole
// process: at most 2 times each program, and 1.25 times on the geometric mean.

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "benchmarks/bars.h"
#include "benchmarks/contestant.h"
#include "benchmarks/report.h"
#include "benchmarks/tournament.h"
#include "benchmarks/workload.h"
#include "third_party/llvm/version/version.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/machine.h"
#include "tools/measure/process_run.h"
#include "tools/measure/statistics.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr const char* kLli = llvm_version::kLli;
constexpr char kOrc[] = "lli orc";
constexpr char kNative[] = "native";
constexpr char kSecondRun[] = "firstcall, second run";
constexpr double kMostOfLli = 1.05;
constexpr double kMostOfNative = 1.10;
constexpr double kMostOfNativeForInterpreters = 1.15;
constexpr double kMostOfNativeForMean = 1.02;
constexpr double kMostOfNativeForMeanInLongRun = 0.98;
constexpr double kMostOfNativeInLongRun = 1.02;
constexpr double kMostOfNativeInSecondRun = 1.05;
constexpr double kMostOfNativeForMeanOfSecondRuns = 1.03;
constexpr double kMostOfNativeForOthers = 2;
constexpr double kMostOfNativeForMeanOfOthers = 1.25;

// The programs whose work is done by one large function: the others are small.
bool IsInterpreter(const Workload& workload) {
  return workload.name == "lua" || workload.name == "sq";
}

Contestant SecondRun(const std::string& firstcall, const std::string& cache) {
  return {kSecondRun, {firstcall, "--object-cache-dir=" + cache}};
}

// Which contestants and bars there are.
enum class Kind { kAll, kOnlyBars, kLong, kOthers };

// Which time of a run a bar is about.
struct Figure {
  const char* name;
  double Sample::*member;
};

constexpr Figure kWallTime = {"", &Sample::wall_ms};
constexpr Figure kProcessorTime = {" processor time", &Sample::cpu_ms};

struct Arguments {
  Kind kind = Kind::kAll;
  std::string directory;
  int rounds = 5;
  std::vector<std::string> names;  // Of workloads; empty: all.

  // Only the first run of firstcall and the program compiled ahead of time take part.
  bool is_against_native() const { return kind == Kind::kLong || kind == Kind::kOthers; }
};

std::vector<Contestant> Contestants(const std::string& firstcall, const std::string& cache,
                                    const Arguments& arguments) {
  if (arguments.is_against_native()) {
    return {{std::string(kFirstcall), {firstcall, "--no-object-cache"}}, {kNative, {}}};
  }
  Contestant mcjit{std::string(kMcjit), {kLli, "--jit-kind=mcjit"}};
  Contestant orc{kOrc, {kLli, "--jit-kind=orc"}};
  mcjit.takes_optimized = orc.takes_optimized = true;
  std::vector<Contestant> contestants = {
      {std::string(kFirstcall), {firstcall, "--no-object-cache"}},
      SecondRun(firstcall, cache),
      mcjit,
      orc,
      {kNative, {}},
  };
  if (arguments.kind == Kind::kAll) {
    for (const char* tier : {"--tier=0", "--tier=1"}) {
      contestants.push_back(
          {absl::StrCat("firstcall ", tier), {firstcall, "--no-object-cache", tier}});
    }
  }
  return contestants;
}

// Compares the median of `contestant` with the best of those `rivals` that had a correct run.
Bar CompareWithBest(const std::vector<Result>& results, const std::string& workload,
                    absl::string_view contestant, const std::vector<std::string>& rivals,
                    double most, const Figure& figure = kWallTime) {
  Bar bar;
  bar.claim = absl::StrFormat("%s: %s%s at most %.2f times %s", workload, contestant, figure.name,
                              most, rivals.size() > 1 ? "the best of lli" : rivals.front());
  const Result* own = Find(results, workload, contestant);
  if (own == nullptr || !own->Measured()) return bar;
  if (!own->EverRight()) {
    bar.verdict = Bar::Verdict::kMissed;
    bar.numbers = own->Fault();
    return bar;
  }
  double best = 0;
  for (const std::string& name : rivals) {
    const Result* rival = Find(results, workload, name);
    if (rival == nullptr || !rival->EverRight()) continue;
    const double median = measure::Median(rival->Figures(figure.member));
    best = best == 0 ? median : std::min(best, median);
  }
  if (best == 0) {
    bar.numbers = "no rival ran";
    return bar;
  }
  const double median = measure::Median(own->Figures(figure.member));
  bar.measured = median / best;
  bar.verdict = bar.measured <= most ? Bar::Verdict::kMet : Bar::Verdict::kMissed;
  bar.numbers = absl::StrFormat("%.0f ms : %.0f ms", median, best);
  return bar;
}

// The geometric mean of what `contestant` takes for `workloads`, in proportion to the programs
// compiled ahead of time.
Bar CompareMean(const std::vector<Result>& results, const std::vector<Workload>& workloads,
                absl::string_view contestant, double most, const Figure& figure = kWallTime) {
  Bar bar;
  bar.claim = absl::StrFormat("geometric mean of %d: %s%s at most %.2f times %s", workloads.size(),
                              contestant, figure.name, most, kNative);
  double sum = 0;
  for (const Workload& workload : workloads) {
    const Bar one = CompareWithBest(results, workload.name, contestant, {kNative}, most, figure);
    if (one.measured == 0) {
      bar.numbers = absl::StrCat(workload.name, ": ", one.numbers);
      return bar;
    }
    sum += std::log(one.measured);
  }
  return AtMost(bar.claim, std::exp(sum / static_cast<double>(workloads.size())), most, "");
}

std::vector<Bar> BarsOf(const std::vector<Result>& results,
                        const std::vector<Workload>& workloads) {
  std::vector<Bar> bars;
  std::vector<Workload> small;
  for (const Workload& workload : workloads) {
    const bool is_interpreter = IsInterpreter(workload);
    bars.push_back(CompareWithBest(results, workload.name, kFirstcall, {std::string(kMcjit), kOrc},
                                   kMostOfLli));
    bars.push_back(CompareWithBest(results, workload.name, kFirstcall, {kNative},
                                   is_interpreter ? kMostOfNativeForInterpreters : kMostOfNative));
    bars.push_back(CompareWithBest(results, workload.name, kSecondRun, {kNative},
                                   is_interpreter ? kMostOfNativeInSecondRun : kMostOfNative));
    if (!is_interpreter) small.push_back(workload);
  }
  bars.push_back(CompareMean(results, workloads, kFirstcall, kMostOfNativeForMean));
  if (!small.empty()) {
    bars.push_back(CompareMean(results, small, kSecondRun, kMostOfNativeForMeanOfSecondRuns));
  }
  return bars;
}

std::vector<Bar> BarsOfLongRuns(const std::vector<Result>& results,
                                const std::vector<Workload>& workloads) {
  std::vector<Bar> bars;
  for (const Workload& workload : workloads) {
    if (workload.name != "sorting" && workload.name != "virtual_calls") continue;
    bars.push_back(
        CompareWithBest(results, workload.name, kFirstcall, {kNative}, kMostOfNativeInLongRun));
  }
  bars.push_back(CompareMean(results, workloads, kFirstcall, kMostOfNativeForMeanInLongRun));
  return bars;
}

std::vector<Bar> BarsOfOthers(const std::vector<Result>& results,
                              const std::vector<Workload>& workloads) {
  std::vector<Bar> bars;
  for (const Workload& workload : workloads) {
    bars.push_back(CompareWithBest(results, workload.name, kFirstcall, {kNative},
                                   kMostOfNativeForOthers, kProcessorTime));
  }
  bars.push_back(
      CompareMean(results, workloads, kFirstcall, kMostOfNativeForMeanOfOthers, kProcessorTime));
  return bars;
}

std::vector<Bar> BarsOfKind(Kind kind, const std::vector<Result>& results,
                            const std::vector<Workload>& workloads) {
  switch (kind) {
    case Kind::kAll:
    case Kind::kOnlyBars:
      return BarsOf(results, workloads);
    case Kind::kLong:
      return BarsOfLongRuns(results, workloads);
    case Kind::kOthers:
      return BarsOfOthers(results, workloads);
  }
  return {};
}

// Runs the workload twice: what was hot in the first run is in the cache after it, and what takes
// its place in the second run, too.
absl::Status FillCache(const std::string& firstcall, const std::string& cache,
                       const Workload& workload) {
  for (int i = 0; i < 2; ++i) {
    absl::Status status =
        measure::RunProcess(CommandLine(SecondRun(firstcall, cache), workload), absl::Minutes(2))
            .status();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Workload>> AllOfKind(const Arguments& arguments) {
  if (arguments.kind == Kind::kOthers) return OthersWorkloads(arguments.directory);
  return ComputeWorkloads(arguments.directory,
                          arguments.kind == Kind::kLong ? Length::kLong : Length::kUsual);
}

// InvalidArgument if there is no workload of a name.
absl::StatusOr<std::vector<Workload>> Choose(const Arguments& arguments) {
  absl::StatusOr<std::vector<Workload>> all = AllOfKind(arguments);
  if (!all.ok() || arguments.names.empty()) return all;
  std::vector<Workload> chosen;
  for (const std::string& name : arguments.names) {
    const auto found = std::find_if(
        all->begin(), all->end(), [&](const Workload& workload) { return workload.name == name; });
    if (found == all->end()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no workload '", name, "'"));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

absl::Status Run(const std::string& firstcall, const Arguments& arguments) {
  const absl::StatusOr<std::vector<Workload>> workloads = Choose(arguments);
  if (!workloads.ok()) return workloads.status();
  const absl::StatusOr<std::string> version = measure::DescribeProgram(firstcall);
  if (!version.ok()) return version.status();
  const absl::StatusOr<std::string> lli = measure::DescribeProgram(kLli);
  if (!lli.ok()) return lli.status();
  absl::PrintF("%s", FormatSetting({measure::DescribeMachine(), *version, *lli}));
  Schedule schedule;
  schedule.rounds = arguments.rounds;
  schedule.allowance = absl::Minutes(5);
  absl::StatusOr<measure::TemporaryDirectory> directory_of_cache =
      measure::TemporaryDirectory::Make("compute");
  if (!directory_of_cache.ok()) return directory_of_cache.status();
  const std::string& cache = directory_of_cache->path();
  std::vector<Result> all;
  for (const Workload& workload : *workloads) {
    if (!arguments.is_against_native()) {
      if (absl::Status status = FillCache(firstcall, cache, workload); !status.ok()) return status;
    }
    absl::StatusOr<std::vector<Result>> results =
        Compete(workload, Contestants(firstcall, cache, arguments), schedule, all);
    if (!results.ok()) return results.status();
    absl::PrintF("\n%s", FormatWorkload(*results));
    fflush(stdout);
    all.insert(all.end(), results->begin(), results->end());
  }
  absl::PrintF("\n%s", FormatBars(BarsOfKind(arguments.kind, all, *workloads)));
  return absl::OkStatus();
}

// Nullopt if they are wrong.
std::optional<Arguments> Parse(std::vector<std::string> words) {
  Arguments arguments;
  if (!words.empty()) {
    if (words.front() == "--bars") arguments.kind = Kind::kOnlyBars;
    if (words.front() == "--long") arguments.kind = Kind::kLong;
    if (words.front() == "--others") arguments.kind = Kind::kOthers;
    if (arguments.kind != Kind::kAll) words.erase(words.begin());
    if (arguments.kind == Kind::kOthers) arguments.rounds = 3;
  }
  if (words.empty()) return std::nullopt;
  arguments.directory = words[0];
  if (words.size() > 1 &&
      (!absl::SimpleAtoi(words[1], &arguments.rounds) || arguments.rounds < 1)) {
    return std::nullopt;
  }
  for (size_t i = 2; i < words.size(); ++i) arguments.names.push_back(words[i]);
  return arguments;
}

int Main(int argc, char** argv) {
  const std::optional<Arguments> arguments = Parse({argv + 1, argv + argc});
  if (!arguments) {
    absl::FPrintF(stderr, "usage: compute [--bars | --long | --others] DIR [RUNS [NAME...]]\n");
    return 2;
  }
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  absl::Status status = runfiles == nullptr
                            ? absl::NotFoundError(error)
                            : Run(runfiles->Rlocation("firstcall/tools/firstcall"), *arguments);
  if (status.ok()) return 0;
  fflush(stdout);
  absl::FPrintF(stderr, "compute: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
