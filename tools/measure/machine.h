// The machine and the programs that a measurement was made with.

#ifndef FIRSTCALL_TOOLS_MEASURE_MACHINE_H_
#define FIRSTCALL_TOOLS_MEASURE_MACHINE_H_

#include <string>

#include "absl/status/statusor.h"

namespace firstcall::measure {

struct Machine {
  std::string cpu;
  int cores = 0;
  std::string kernel;
  double load = 0;  // runnable processes, mean of the last minute: shows other activity
};

// Describes this machine, with "unknown" for what the machine does not report. Thread-safe.
Machine DescribeMachine();

// The version that `program --version` prints, or "unknown". An error of RunProcess if the program
// cannot be started. Blocks until it has ended. Thread-safe.
absl::StatusOr<std::string> DescribeProgram(const std::string& program);

}  // namespace firstcall::measure

#endif  // FIRSTCALL_TOOLS_MEASURE_MACHINE_H_
