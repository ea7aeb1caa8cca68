// The command `firstcall serve`: a compile server. Tested in tests/command/compile_server_test.cc.

#ifndef FIRSTCALL_TOOLS_SERVE_COMMAND_H_
#define FIRSTCALL_TOOLS_SERVE_COMMAND_H_

#include <string>
#include <vector>

namespace firstcall {

// Serves until the process is told to end; returns the exit status.
int RunServeCommand(const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_SERVE_COMMAND_H_
