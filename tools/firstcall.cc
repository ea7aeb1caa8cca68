// The main function of the program without LLVM (tools/variant.h): runs what is in a cache or can
// be compiled without LLVM, and leaves everything else to the program with LLVM.

#include <sys/stat.h>

#include <string>

#include "absl/synchronization/mutex.h"
#include "direct/host_target.h"
#include "tools/bench_command.h"
#include "tools/command_line.h"
#include "tools/out_of_memory.h"
#include "tools/preload.h"
#include "tools/run_program.h"
#include "tools/server_status.h"
#include "tools/variant.h"

namespace {

// The program with LLVM reads the file once more.
bool CanBeReadAgain(const std::string& path) {
  struct stat status = {};
  return path != "-" && (stat(path.c_str(), &status) != 0 || !S_ISFIFO(status.st_mode));
}

// Whether the compiler without LLVM may be asked for code.
bool MayCompileWithoutLlvm(const firstcall::EngineOptions& options) {
  return options.mode == firstcall::Mode::kLazy && options.tier != firstcall::Tier::kOne &&
         firstcall::direct::IsHostTarget(options);
}

// What needs LLVM whatever is in the cache; null if nothing does.
const char* NeedOfLlvm(const firstcall::CommandLine& command_line) {
  if (command_line.interpret) return "interpreting";
  if (command_line.dump != firstcall::Dump::kNothing) return "printing what is compiled";
  for (const firstcall::LibraryFile& file : command_line.modules) {
    if (!CanBeReadAgain(file.path)) return "reading standard input or a pipe";
  }
  // They may replace operator new, which this program and the library of the compiler half must
  // have in common.
  if (!command_line.engine.shared_libraries.empty()) return "running with libraries";
  // What is compiled, another process compiles.
  if (!command_line.engine.compile_server.empty()) return nullptr;
  if (command_line.engine.object_cache == nullptr && !MayCompileWithoutLlvm(command_line.engine)) {
    return "compiling without a cache";
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const firstcall::CommandArguments own = firstcall::TakeCommandArguments(argc, argv);
  argc = own.count;
  argv = own.values;
  firstcall::SetUpVariant(argv);
  firstcall::EndWhenOutOfMemory();
  // Debian's Abseil checks for lock cycles on every acquisition, in every build.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::string verb = argc > 1 ? argv[1] : "";
  // Here, because this program's memory is a minimum of what it can measure.
  if (verb == "bench") return firstcall::RunBenchCommand({argv + 2, argv + argc});
  if (verb == "serve") {
    const firstcall::ServeArguments arguments =
        firstcall::ParseServeArguments({argv + 2, argv + argc});
    if (arguments.status) return firstcall::PrintServerStatus(arguments);
    firstcall::RunWithLlvm(verb);
  }
  if (verb == "cache" || verb == "precompile") firstcall::RunWithLlvm(verb);
  const firstcall::CommandLine command_line = firstcall::ParseCommandLine(argc, argv);
  if (const char* need = NeedOfLlvm(command_line)) {
    // What options of LLVM's mean has to be known before the libraries are loaded.
    if (command_line.engine.llvm_arguments.empty()) {
      firstcall::Preload(need, command_line.engine.shared_libraries, command_line.arguments);
    }
    firstcall::RunWithLlvm(need);
  }
  return firstcall::RunProgram(command_line);
}
