// The command line of `firstcall bench`. Thread-safe. Tested in tests/command/bench_test.cc.

#ifndef FIRSTCALL_TOOLS_BENCH_OPTIONS_H_
#define FIRSTCALL_TOOLS_BENCH_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall {

struct BenchOptions {
  int runs = 11;
  absl::Duration time_limit = absl::Seconds(60);  // of one run
  absl::Duration allowance = absl::Seconds(60);   // of all runs of a contestant
  std::string native;                             // an executable; empty: none
  // A program to be used as lli; empty: none. Not given: the one that is installed.
  std::optional<std::string> lli;
  std::string input;                        // the program's standard input; empty: nothing
  std::string json;                         // a file to be written; empty: none
  std::string html;                         // a file to be written; empty: none
  std::vector<std::string> engine_options;  // for firstcall
  std::string program;
  std::vector<std::string> arguments;  // the program's
  bool help = false;
};

extern const char kBenchUsage[];

// `arguments` are those after the word `bench`. InvalidArgument if they are malformed.
absl::StatusOr<BenchOptions> ParseBenchOptions(const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_BENCH_OPTIONS_H_
