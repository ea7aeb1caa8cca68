// Runs one program and says how it ended, what it printed and what it cost. For whole-process
// measurements: nothing of the program runs in this process.
//
// Thread-compatible.

#ifndef FIRSTCALL_BENCHMARKS_PROCESS_RUN_H_
#define FIRSTCALL_BENCHMARKS_PROCESS_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall::benchmarks {

struct ProcessRun {
  enum class End { kExited, kSignaled, kTimedOut };

  End end = End::kExited;
  int code = 0;         // the exit status, or the number of the signal
  absl::Duration wall;  // CLOCK_MONOTONIC, from before the spawn until the process has ended
  absl::Duration cpu;   // user and system time of all its threads
  // Largest resident set. Linux counts the spawning process until exec, so this process's own peak
  // is the least that can be seen: link little into the measuring program.
  int64_t peak_rss_kib = 0;
  std::string output;  // what it wrote to standard output
};

// Runs `argv` (the program is looked up in PATH) with empty standard input and standard error
// thrown away. Blocks until the program ends; kills it, and whatever it started, after
// `time_limit`. A program that fails is a result; NotFound if it cannot be started, Internal if it
// cannot be observed. `argv` must not be empty.
absl::StatusOr<ProcessRun> RunProcess(const std::vector<std::string>& argv,
                                      absl::Duration time_limit);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_PROCESS_RUN_H_
