// The command's main function. Turns options into an engine and the engine's result into an exit
// status, without logic of its own.

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
  // Debian's Abseil checks for lock cycles on every acquisition, in every build.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "cache") return firstcall::RunCacheCommand({argv + 2, argv + argc});
  if (verb == "precompile") {
    argv[1] = argv[0];
    return firstcall::Precompile(firstcall::ParseCommandLine(argc - 1, argv + 1));
  }
  return firstcall::RunProgram(firstcall::ParseCommandLine(argc, argv));
}
