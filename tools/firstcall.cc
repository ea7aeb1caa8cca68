// The command: options in, an engine run, an exit status out. No logic of its own.

#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "tools/cache_command.h"
#include "tools/command_line.h"
#include "tools/out_of_memory.h"
#include "tools/precompile.h"
#include "tools/run_program.h"

int main(int argc, char** argv) {
  firstcall::EndWhenOutOfMemory();
  // Debian's Abseil looks for cycles among locks at each one that is taken, in every build.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "cache") return firstcall::RunCacheCommand({argv + 2, argv + argc});
  if (verb == "precompile") {
    argv[1] = argv[0];
    return firstcall::Precompile(firstcall::ParseCommandLine(argc - 1, argv + 1));
  }
  return firstcall::RunProgram(firstcall::ParseCommandLine(argc, argv));
}
