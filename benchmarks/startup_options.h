// The command line of the start-up benchmark. Thread-compatible.

#ifndef FIRSTCALL_BENCHMARKS_STARTUP_OPTIONS_H_
#define FIRSTCALL_BENCHMARKS_STARTUP_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "third_party/llvm/version/version.h"

namespace firstcall::benchmarks {

struct StartupOptions {
  std::string workloads;  // directory; empty: benchmarks/workloads of the source tree
  std::string firstcall;  // program; empty: the one this benchmark was built with
  std::string lli = llvm_version::kLli;
  std::vector<std::string> filters;  // globs of "workload/contestant"; empty: everything
  std::string json;                  // file; empty: none
  int runs = 5;
  std::string before;                          // another firstcall, which takes part, too
  bool counts_instructions = false;            // in place of measuring times
  std::vector<std::string> firstcall_options;  // for all firstcalls whose instructions are counted
  bool counts_second_start = false;  // instructions of a start with the cache that another has left
  bool help = false;
};

// The text for --help.
extern const absl::string_view kStartupUsage;

// Whether `options` select that contestant on that workload.
bool Selects(const StartupOptions& options, absl::string_view workload,
             absl::string_view contestant);

// Parses "--name=value" arguments, without the program's name. InvalidArgument, with the argument,
// if one is unknown or malformed.
absl::StatusOr<StartupOptions> ParseStartupOptions(const std::vector<std::string>& arguments);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_STARTUP_OPTIONS_H_
