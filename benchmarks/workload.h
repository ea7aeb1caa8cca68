// What the contestants run: the programs fetch_workloads.sh leaves in a directory.

#ifndef FIRSTCALL_BENCHMARKS_WORKLOAD_H_
#define FIRSTCALL_BENCHMARKS_WORKLOAD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "benchmarks/contestant.h"

namespace firstcall::benchmarks {

// One program and its arguments. Immutable after construction.
struct Workload {
  std::string name;
  std::string bitcode;  // path
  std::string native;   // path of the same program compiled ahead of time
  std::vector<std::string> arguments;
  std::string optimized;  // path of the bitcode after opt -O2; empty if nobody takes that
  // Another workload of which this one is `times` as much: who would need more than the time limit
  // by that measure is not started here. Empty: no such workload.
  std::string larger_than;
  int times = 1;
};

// All of them, in the order they run and are reported; `directory` as given to fetch_workloads.sh.
std::vector<Workload> AllWorkloads(const std::string& directory);

// Those that compute for seconds.
std::vector<Workload> ComputeWorkloads(const std::string& directory);

// The names of the programs that are too small for lazy compilation to win anything.
std::vector<absl::string_view> SmallPrograms();

// The command line on which `contestant` runs `workload`.
std::vector<std::string> CommandLine(const Contestant& contestant, const Workload& workload);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_WORKLOAD_H_
