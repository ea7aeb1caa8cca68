// Runs one program and reports how it ended, what it printed and what it cost. For measurements of
// whole processes: nothing of the program runs in this process.
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
  // The largest resident set. Linux counts the spawning process until exec, so this process's own
  // peak is the least that can be measured: the measuring program should link little.
  int64_t peak_rss_kib = 0;
  std::string output;  // what it wrote to standard output
};

// Runs `argv` with empty standard input, and discards standard error. The program is searched in
// PATH. Blocks until the program ends, or kills it after `time_limit`; then kills the rest of its
// process group. A program that fails is a result, not an error. NotFound if it cannot be started,
// Internal if it cannot be observed. `argv` must not be empty.
absl::StatusOr<ProcessRun> RunProcess(const std::vector<std::string>& argv,
                                      absl::Duration time_limit);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_PROCESS_RUN_H_
