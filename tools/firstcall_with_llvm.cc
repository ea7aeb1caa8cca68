// The main function of the program with LLVM (tools/variant.h), which can do everything. Turns
// options into an engine and the engine's result into an exit status, without logic of its own.

#include <string>

#include "absl/synchronization/mutex.h"
#include "backend/llvm/llvm_debugger_registration.h"
#include "tools/bench_command.h"
#include "tools/cache_command.h"
#include "tools/command_line.h"
#include "tools/dumper.h"
#include "tools/interpreter.h"
#include "tools/out_of_memory.h"
#include "tools/precompile.h"
#include "tools/preload.h"
#include "tools/run_program.h"
#include "tools/serve_command.h"
#include "tools/variant.h"

int main(int argc, char** argv) {
  using firstcall::CommandLine;
  const firstcall::CommandArguments own = firstcall::TakeCommandArguments(argc, argv);
  argc = own.count;
  argv = own.values;
  firstcall::SetUpVariant(argv);
  firstcall::EndWhenOutOfMemory();
  firstcall::LeaveOutLlvmsListener();
  // Debian's Abseil checks for lock cycles on every acquisition, in every build.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "bench") return firstcall::RunBenchCommand({argv + 2, argv + argc});
  if (verb == "cache") return firstcall::RunCacheCommand({argv + 2, argv + argc});
  if (verb == "serve") return firstcall::RunServeCommand({argv + 2, argv + argc});
  if (verb == "precompile") {
    argv[1] = argv[0];
    return firstcall::Precompile(firstcall::ParseCommandLine(argc - 1, argv + 1));
  }
  CommandLine command_line = firstcall::ParseCommandLine(argc, argv);
  firstcall::Preload("running with libraries", command_line.engine.shared_libraries,
                     command_line.arguments);
  if (command_line.interpret) return firstcall::ExitWith(firstcall::Interpret(command_line));
  if (command_line.dump != firstcall::Dump::kNothing) {
    command_line.engine.listeners.push_back(firstcall::MakeDumper(command_line.dump));
  }
  return firstcall::RunProgram(command_line);
}
