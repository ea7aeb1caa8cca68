// Question: how much time, and how much memory, does it take from starting a process to the end of
// an LLVM IR program that the engine has never seen before?
//
// Baseline: LLVM's own `lli` in each of its kinds (orc-lazy with 0, 1 and 2 compile threads, orc,
// mcjit; at its default optimization and at -O0) on the same bitcode. The program compiled ahead of
// time is the floor, and every output is compared with its output. The ratio column is a
// contestant's wall time divided by firstcall's (default settings).
//
// Workloads: small C and C++ programs, Lua, SQLite, and chains of 1 to 10,000 tiny functions that
// are all called (fetch_workloads.sh builds them). All contestants run a workload in turns, one run
// per round. A slow contestant takes part in fewer rounds and a brief one in more (column n), so
// that the whole benchmark takes some six minutes. Crashes, wrong output and time-outs stay in the
// table.
//
//   bazel run -c opt //benchmarks:startup -- [--workloads=DIR] [--runs=5] [--filter=GLOB,...]
//       [--json=FILE] [--firstcall=PATH] [--lli=PATH] [--before=PATH]
//
// With --before another build of firstcall takes part.
//
// With --instructions it answers instead: how many instructions does that take, and how many does
// it take with another build of firstcall (--before=PATH)? Only firstcall takes part, with the
// options that are given by --option and without a cache, once for each workload. With
// --second-start it has the cache that a start under callgrind has left, and the instructions of
// that start are not counted.

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "benchmarks/bars.h"
#include "benchmarks/contestant.h"
#include "benchmarks/instructions.h"
#include "benchmarks/report.h"
#include "benchmarks/startup_options.h"
#include "benchmarks/tournament.h"
#include "benchmarks/workload.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/machine.h"
#include "tools/measure/process_run.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

// The value of an environment variable that `bazel run` sets; empty outside it.
std::string Environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// The absolute path of the runfile `path`, which stays valid after a change of directory.
std::string Locate(const Runfiles& runfiles, const std::string& path) {
  const std::string found = runfiles.Rlocation(path);
  const std::unique_ptr<char, void (*)(void*)> absolute(realpath(found.c_str(), nullptr), &free);
  return absolute == nullptr ? found : absolute.get();
}

// Fills in the options that the user did not set.
absl::Status CompleteOptions(const std::string& argv0, StartupOptions* options) {
  if (options->firstcall.empty()) {
    std::string error;
    const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv0, &error));
    if (runfiles == nullptr) return absl::NotFoundError(absl::StrCat("find firstcall: ", error));
    options->firstcall = Locate(*runfiles, "firstcall/tools/firstcall");
  }
  if (options->workloads.empty()) {
    const std::string source_tree = Environment("BUILD_WORKSPACE_DIRECTORY");
    if (source_tree.empty()) return absl::InvalidArgumentError("--workloads=DIR is missing");
    options->workloads = absl::StrCat(source_tree, "/benchmarks/workloads");
  }
  return absl::OkStatus();
}

// NotFound if one of the workload's two files is missing.
absl::Status CheckFetched(const Workload& workload, absl::string_view directory) {
  for (const std::string& file : {workload.bitcode, workload.native}) {
    if (access(file.c_str(), R_OK) == 0) continue;
    return absl::NotFoundError(
        absl::StrCat("find workload ", file, ": run benchmarks/fetch_workloads.sh ", directory));
  }
  return absl::OkStatus();
}

// Also loads both programs into the page cache, so that the first measurement is not slower.
absl::StatusOr<Setting> DescribeSetting(const StartupOptions& options) {
  absl::StatusOr<std::string> firstcall = measure::DescribeProgram(options.firstcall);
  if (!firstcall.ok()) return firstcall.status();
  absl::StatusOr<std::string> lli = measure::DescribeProgram(options.lli);
  if (!lli.ok()) return lli.status();
  return Setting{measure::DescribeMachine(), *std::move(firstcall), *std::move(lli)};
}

// The contestants that `options` select for that workload.
std::vector<Contestant> SelectContestants(const StartupOptions& options,
                                          const std::vector<Contestant>& contestants,
                                          const Workload& workload) {
  std::vector<Contestant> selected;
  for (const Contestant& contestant : contestants) {
    if (Selects(options, workload.name, contestant.name)) selected.push_back(contestant);
  }
  return selected;
}

// Counts the instructions of a first or second start of `program`.
absl::StatusOr<uint64_t> CountStart(const StartupOptions& options, const std::string& program,
                                    const Workload& workload) {
  Contestant contestant{program, {program}};
  std::vector<std::string>& command = contestant.command;
  command.insert(command.end(), options.firstcall_options.begin(), options.firstcall_options.end());
  if (!options.counts_second_start) {
    command.push_back("--no-object-cache");
    return CountInstructions(CommandLine(contestant, workload));
  }
  absl::StatusOr<measure::TemporaryDirectory> cache =
      measure::TemporaryDirectory::Make("firstcall-cache");
  if (!cache.ok()) return cache.status();
  command.push_back(absl::StrCat("--object-cache-dir=", cache->path()));
  const std::vector<std::string> line = CommandLine(contestant, workload);
  if (const auto first = CountInstructions(line); !first.ok()) return first;
  return CountInstructions(line);
}

// Counts the instructions of all workloads, and prints each count as soon as it is known.
absl::Status CountWorkloads(const StartupOptions& options) {
  absl::PrintF("%-14s %18s %18s %8s\n", "instructions", "firstcall", "before", "ratio");
  double log_of_ratios = 0, worst = 0;
  int count = 0;
  for (const Workload& workload : AllWorkloads(options.workloads)) {
    if (!Selects(options, workload.name, kFirstcall)) continue;
    if (absl::Status s = CheckFetched(workload, options.workloads); !s.ok()) return s;
    const auto instructions_of = [&](const std::string& program) {
      return CountStart(options, program, workload);
    };
    const absl::StatusOr<uint64_t> now = instructions_of(options.firstcall);
    if (!now.ok()) return now.status();
    if (options.before.empty()) {
      absl::PrintF("%-14s %18d\n", workload.name, *now);
    } else {
      const absl::StatusOr<uint64_t> before = instructions_of(options.before);
      if (!before.ok()) return before.status();
      const double ratio = static_cast<double>(*now) / static_cast<double>(*before);
      log_of_ratios += std::log(ratio);
      worst = std::max(worst, ratio);
      ++count;
      absl::PrintF("%-14s %18d %18d %8.4f\n", workload.name, *now, *before, ratio);
    }
    fflush(stdout);
  }
  if (count > 0) {
    absl::PrintF("geometric mean of %d: %.4f, largest: %.4f\n", count,
                 std::exp(log_of_ratios / count), worst);
  }
  return absl::OkStatus();
}

// Runs all workloads, and prints the table of each as soon as it is complete.
absl::StatusOr<std::vector<Result>> RunWorkloads(const StartupOptions& options) {
  const std::vector<Contestant> contestants =
      AllContestants(options.firstcall, options.lli, options.before);
  Schedule schedule;
  schedule.rounds = options.runs;
  std::vector<Result> all;
  for (const Workload& workload : AllWorkloads(options.workloads)) {
    const std::vector<Contestant> selected = SelectContestants(options, contestants, workload);
    if (selected.empty()) continue;
    if (absl::Status s = CheckFetched(workload, options.workloads); !s.ok()) return s;
    absl::StatusOr<std::vector<Result>> results = Compete(workload, selected, schedule, all);
    if (!results.ok()) return results.status();
    absl::PrintF("\n%s", FormatWorkload(*results));
    fflush(stdout);
    all.insert(all.end(), results->begin(), results->end());
  }
  return all;
}

absl::Status WriteFile(const std::string& path, absl::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("write ", path));
}

absl::Status Run(StartupOptions options, const std::string& argv0) {
  if (absl::Status status = CompleteOptions(argv0, &options); !status.ok()) return status;
  // Paths on the command line are relative to the user's directory.
  const std::string directory = Environment("BUILD_WORKING_DIRECTORY");
  if (!directory.empty() && chdir(directory.c_str()) != 0) {
    return absl::NotFoundError(absl::StrCat("enter ", directory));
  }
  measure::KeepCrashesShort();
  if (options.counts_instructions) return CountWorkloads(options);
  const absl::StatusOr<Setting> setting = DescribeSetting(options);
  if (!setting.ok()) return setting.status();
  absl::PrintF("%s", FormatSetting(*setting));
  const absl::StatusOr<std::vector<Result>> results = RunWorkloads(options);
  if (!results.ok()) return results.status();
  const std::vector<Bar> bars = ComputeBars(*results);
  absl::PrintF("\n%s", FormatBars(bars));
  if (options.json.empty()) return absl::OkStatus();
  return WriteFile(options.json, FormatJson(*setting, *results, bars));
}

int Main(int argc, char** argv) {
  const absl::StatusOr<StartupOptions> options =
      ParseStartupOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options.ok() || options->help) {
    if (!options.ok()) absl::FPrintF(stderr, "%s\n", options.status().message());
    absl::FPrintF(options.ok() ? stdout : stderr, "%s", kStartupUsage);
    return options.ok() ? 0 : 2;
  }
  const absl::Status status = Run(*options, argv[0]);
  if (status.ok()) return 0;
  fflush(stdout);
  absl::FPrintF(stderr, "startup: %s\n", status.message());
  return 1;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
