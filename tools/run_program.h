// Runs the program that a command line names. Tested in tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_RUN_PROGRAM_H_
#define FIRSTCALL_TOOLS_RUN_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "engine/engine.h"
#include "tools/command_line.h"

namespace firstcall {

// Makes an engine and adds all parts of the program.
absl::StatusOr<std::unique_ptr<Engine>> Load(const CommandLine& command_line);

// Runs the program and exits with its status. If the program could not be started, prints a line to
// standard error and returns 1; at most its constructors and thread entries have run then. To be
// called once, from main.
int RunProgram(const CommandLine& command_line);

// Exits with a program's status, or prints why it could not be started and returns 1.
int ExitWith(const absl::StatusOr<int>& result);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_RUN_PROGRAM_H_
