// Runs one program and reports how it ended, what it printed and what it cost. For measurements of
// whole processes: nothing of the program runs in this process.
//
// Thread-safe.

#ifndef FIRSTCALL_TOOLS_MEASURE_PROCESS_RUN_H_
#define FIRSTCALL_TOOLS_MEASURE_PROCESS_RUN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace firstcall::measure {

struct ProcessRun {
  enum class End { kExited, kSignaled, kTimedOut };

  End end = End::kExited;
  int code = 0;  // the exit status, or the number of the signal
  // CLOCK_MONOTONIC, from the exec until the process has ended; if it timed out, from the fork.
  absl::Duration wall;
  absl::Duration cpu;  // user and system time of all its threads
  // The largest resident set, but at least LeastPeakRssKib().
  int64_t peak_rss_kib = 0;
  std::string output;  // what it wrote to standard output
  std::string errors;  // the beginning of what it wrote to standard error, at most 4 KiB
};

struct ProcessOptions {
  // A file to be the standard input.
  std::string input = "/dev/null";
  // If this file descriptor becomes readable, the program is killed. -1: there is none.
  int stop = -1;
};

// Runs `argv`. The program is searched in PATH. It has the environment of this process, with
// FIRSTCALL_CACHE=off unless that variable is set. Blocks until the program ends, or kills it after
// `time_limit`; then kills the rest of its process group. The program is also killed if the calling
// thread ends. A program that fails is a result, not an error. NotFound if the program or its input
// cannot be opened, Cancelled if `stop` became readable, Internal if the program cannot be
// observed. `argv` must not be empty.
absl::StatusOr<ProcessRun> RunProcess(const std::vector<std::string>& argv,
                                      absl::Duration time_limit,
                                      const ProcessOptions& options = {});

// The peak that RunProcess would report for a program without any memory. Linux counts the forked
// copy of this process until the exec. The copy has the pages that this process has written to, so
// a measuring program should write to little memory.
absl::StatusOr<int64_t> LeastPeakRssKib();

// To be called before RunProcess: programs that crash then spend no time on a core file, and LLVM's
// tools none on finding line numbers.
void KeepCrashesShort();

}  // namespace firstcall::measure

#endif  // FIRSTCALL_TOOLS_MEASURE_PROCESS_RUN_H_
