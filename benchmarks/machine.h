// What a measurement was made on.

#ifndef FIRSTCALL_BENCHMARKS_MACHINE_H_
#define FIRSTCALL_BENCHMARKS_MACHINE_H_

#include <string>

#include "absl/status/statusor.h"

namespace firstcall::benchmarks {

struct Machine {
  std::string cpu;
  int cores = 0;
  std::string kernel;
  double load = 0;  // runnable processes, mean of the last minute: what else was going on
};

// The machine this runs on, with "unknown" for what it does not tell. Thread-safe.
Machine DescribeMachine();

// What `program --version` calls its version, or "unknown". The error of RunProcess if it cannot be
// started. Blocks until it has answered. Thread-safe.
absl::StatusOr<std::string> DescribeProgram(const std::string& program);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_MACHINE_H_
