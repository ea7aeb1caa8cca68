// The executing process of remote.cc: runs the code that another process compiles. It needs neither
// LLVM nor an engine.
//
//   executor DESCRIPTOR     where DESCRIPTOR is a socket to the other process

#include <cstdio>
#include <cstdlib>

#include "firstcall/services/executor/serve_executor.h"

// Compiled code may call what this process exports.
extern "C" void report(int number) {
  std::printf("the executing process has %d\n", number);
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: executor DESCRIPTOR\n");
    return 2;
  }
  const absl::Status status = firstcall::ServeExecutor(std::atoi(argv[1]));
  if (status.ok()) return 0;
  std::fprintf(stderr, "executor: %s\n", status.ToString().c_str());
  return 1;
}
