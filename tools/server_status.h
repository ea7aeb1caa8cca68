// The command `firstcall serve --status`. Tested in tests/command/compile_server_test.cc.

#ifndef FIRSTCALL_TOOLS_SERVER_STATUS_H_
#define FIRSTCALL_TOOLS_SERVER_STATUS_H_

#include <string>
#include <vector>

namespace firstcall {

// What stands behind `firstcall serve`.
struct ServeArguments {
  std::string socket;  // Empty: the default.
  bool status = false;
  double workers = 256;
  double worker_memory = 2048;  // MiB.
  double request_time = 60;     // Seconds.
  double kept = 256;            // MiB.
};

// Prints an error and exits with status 1 if one is wrong, and the options if that is asked for.
ServeArguments ParseServeArguments(const std::vector<std::string>& arguments);

// Prints what the server says, and returns the exit status: 1, after an error, if there is none.
int PrintServerStatus(const ServeArguments& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_SERVER_STATUS_H_
