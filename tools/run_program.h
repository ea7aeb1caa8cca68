// Runs the program a command line names.

#ifndef FIRSTCALL_TOOLS_RUN_PROGRAM_H_
#define FIRSTCALL_TOOLS_RUN_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "engine/engine.h"
#include "tools/command_line.h"

namespace firstcall {

// An engine with all the parts of the program in it.
absl::StatusOr<std::unique_ptr<Engine>> Load(const CommandLine& command_line);

// Exits with the program's status when it has run. Returns 1, after a line on standard error, if it
// could not be started; nothing of it has run then. To be called once, from main.
int RunProgram(const CommandLine& command_line);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_RUN_PROGRAM_H_
