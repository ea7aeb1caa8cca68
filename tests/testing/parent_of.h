// The parent of another process. Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_PARENT_OF_H_
#define FIRSTCALL_TESTS_TESTING_PARENT_OF_H_

#include <sys/types.h>

#include <fstream>
#include <string>

namespace firstcall {

// Zero if there is no such process.
inline pid_t ParentOf(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("PPid:", 0) == 0) return static_cast<pid_t>(std::stoi(line.substr(5)));
  }
  return 0;
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_PARENT_OF_H_
