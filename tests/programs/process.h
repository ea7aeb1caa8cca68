// Runs a command to its end and keeps all it wrote. For tests of whole programs.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_PROGRAMS_PROCESS_H_
#define FIRSTCALL_TESTS_PROGRAMS_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace firstcall::testing {

struct ProcessResult {
  int exit_status = 0;  // 128 + the signal's number if a signal ended it, as a shell says.
  std::string output;
  std::string errors;
};

bool operator==(const ProcessResult& a, const ProcessResult& b);
std::ostream& operator<<(std::ostream& stream, const ProcessResult& result);

// Starts `command` (its first element is a path), which dies with this thread, and goes on. The
// child calls `prepare` before it becomes the command. Returns the process, or a negative number.
pid_t StartProcess(
    const std::vector<std::string>& command, const std::function<void()>& prepare = [] {});

// Runs `command` (its first element is a path), with `input` as its standard input, and waits for
// it. It dies with this process. The child calls `prepare` last, when its output is kept already. A
// command that cannot be started exits with 127.
ProcessResult RunProcess(
    const std::vector<std::string>& command, const std::string& input = "",
    const std::function<void()>& prepare = [] {});

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_PROGRAMS_PROCESS_H_
