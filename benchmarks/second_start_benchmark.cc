// How long do the start and the run of a program take if it has run before?
//
//   bazel run -c opt //benchmarks:second_start -- DIR [LLI]
//
// DIR is that of fetch_workloads.sh, whose SQLite and hello world are run. Compares whole
// processes: firstcall with a cache that its first run has filled, firstcall without a cache, the
// program compiled ahead of time, and the fastest of lli's kinds on SQLite (--jit-kind=mcjit -O0).
// A further contestant is firstcall with the cache and with another module of 50,000 functions that
// are never called, and one begins with an empty cache in each round. All take turns; the results
// are medians.

#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "third_party/llvm/version/version.h"
#include "tools/cpp/runfiles/runfiles.h"
#include "tools/measure/process_run.h"
#include "tools/measure/statistics.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::benchmarks {
namespace {

using ::bazel::tools::cpp::runfiles::Runfiles;

constexpr int kRounds = 11;
constexpr int kPaddingFunctions = 50000;

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "second_start: %s\n", message.c_str());
  std::exit(1);
}

struct Contestant {
  std::string name;
  std::vector<std::string> command;
  std::vector<double> wall_ms;
};

void Run(Contestant& contestant) {
  absl::StatusOr<measure::ProcessRun> run =
      measure::RunProcess(contestant.command, absl::Seconds(120));
  if (!run.ok()) Fail(std::string(run.status().message()));
  if (run->end != measure::ProcessRun::End::kExited || run->code != 0) {
    Fail(absl::StrCat(contestant.name, " did not end as it should"));
  }
  contestant.wall_ms.push_back(absl::ToDoubleMilliseconds(run->wall));
}

void WritePadding(const std::string& path) {
  std::ofstream file(path);
  for (int i = 0; i < kPaddingFunctions; ++i) {
    file
        << "define i32 @padding_" << i << "(i32 %x) {\n  %a = add i32 %x, " << i
        << "\n  %c = icmp sgt i32 %a, 7\n  br i1 %c, label %t, label %e\nt:\n  %b = mul i32 %a, 3\n"
           "  ret i32 %b\ne:\n  ret i32 %a\n}\n";
  }
}

Bar Compare(const std::string& claim, const Contestant& over, const Contestant& under, double bar,
            bool is_least) {
  return (is_least ? AtLeast : AtMost)(
      absl::StrFormat("%s : %s, %s %g (%s)", over.name, under.name,
                      is_least ? "at least" : "at most", bar, claim),
      measure::MedianRatio(over.wall_ms, under.wall_ms), bar,
      absl::StrFormat("%.1f ms : %.1f ms", measure::Median(over.wall_ms),
                      measure::Median(under.wall_ms)));
}

int Main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: second_start DIR [LLI]\n");
    return 2;
  }
  std::string error;
  const std::unique_ptr<Runfiles> runfiles(Runfiles::Create(argv[0], &error));
  if (runfiles == nullptr) Fail(error);
  const std::string firstcall = runfiles->Rlocation("firstcall/tools/firstcall");
  const std::string sqlite = absl::StrCat(argv[1], "/sqO2.bc");
  const std::string hello = absl::StrCat(argv[1], "/helloO2.bc");
  const absl::StatusOr<measure::TemporaryDirectory> directory =
      measure::TemporaryDirectory::Make("second-start");
  if (!directory.ok()) Fail(std::string(directory.status().message()));
  const std::string cache = "--object-cache-dir=" + directory->path();
  const std::string padding = directory->path() + "/padding.ll";
  WritePadding(padding);

  Contestant second{"second start", {firstcall, cache, sqlite}, {}};
  Contestant padded{"padded", {firstcall, cache, "--extra-module=" + padding, sqlite}, {}};
  Contestant first{"first start", {firstcall, sqlite}, {}};
  Contestant filling{"first start with a cache", {firstcall, cache, sqlite}, {}};
  Contestant ahead{"ahead of time", {absl::StrCat(argv[1], "/native/sq")}, {}};
  Contestant second_hello{"second start of hello", {firstcall, cache, hello}, {}};
  Contestant ahead_hello{"ahead of time", {absl::StrCat(argv[1], "/native/hello")}, {}};
  Contestant lli{
      "lli", {argc > 2 ? argv[2] : llvm_version::kLli, "--jit-kind=mcjit", "-O0", sqlite}, {}};
  Contestant* const all[] = {&second, &padded,       &first,       &filling,
                             &ahead,  &second_hello, &ahead_hello, &lli};
  for (int round = 0; round <= kRounds; ++round) {
    filling.command[1] = absl::StrCat(cache, "/of_round_", round);
    for (Contestant* contestant : all) {
      Run(*contestant);
      if (round == 0) contestant->wall_ms.clear();  // It fills the caches.
    }
  }
  absl::PrintF("%s", FormatBars({Compare("times as fast", first, second, 30, /*is_least=*/true),
                                 Compare("times as fast", lli, second, 40, /*is_least=*/true),
                                 Compare("SQLite", second, ahead, 3, /*is_least=*/false),
                                 Compare("the cost of a cache", filling, first, 1.03,
                                         /*is_least=*/false),
                                 Compare("hello", second_hello, ahead_hello, 2, /*is_least=*/false),
                                 Compare("50,000 functions more", padded, second, 1.2,
                                         /*is_least=*/false)}));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
