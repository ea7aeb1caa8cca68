// The programs that contestants run: those that fetch_workloads.sh and fetch_others.sh put
// into a directory.

#ifndef FIRSTCALL_BENCHMARKS_WORKLOAD_H_
#define FIRSTCALL_BENCHMARKS_WORKLOAD_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmarks/contestant.h"

namespace firstcall::benchmarks {

// One program and its arguments. Immutable after construction.
struct Workload {
  std::string name;
  std::string bitcode;  // path
  std::string native;   // path of the same program compiled ahead of time
  std::vector<std::string> arguments;
  std::string input = "/dev/null";  // path of the standard input
  std::string optimized;  // path of the bitcode after opt -O2; empty if no contestant takes it
  // Another workload, of which this one is `times` as large. A contestant that, judged by its time
  // for that workload, would exceed the time limit is not started. Empty: no such workload.
  std::string larger_than;
  int times = 1;
};

// All of them, in the order of the runs and of the report. `directory` is fetch_workloads.sh's.
std::vector<Workload> AllWorkloads(const std::string& directory);

// How long the programs of ComputeWorkloads run, compiled ahead of time.
enum class Length {
  kUsual,
  kLong
};  // Two and a half to three and a half seconds; three times that.

// The programs that compute for seconds.
std::vector<Workload> ComputeWorkloads(const std::string& directory,
                                       Length length = Length::kUsual);

// The programs that others wrote, which fetch_others.sh puts into `directory`, sorted by name. The
// status is NotFound if there is none.
absl::StatusOr<std::vector<Workload>> OthersWorkloads(const std::string& directory);

// The names of the programs that are so small that lazy compilation gains nothing.
std::vector<absl::string_view> SmallPrograms();

// The command line for `contestant` on `workload`.
std::vector<std::string> CommandLine(const Contestant& contestant, const Workload& workload);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_WORKLOAD_H_
