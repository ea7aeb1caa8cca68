#include "tools/run_program.h"

#include <cerrno>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/engine.h"
#include "tools/freed_memory.h"
#include "tools/hot_functions_file.h"
#include "tools/observation.h"
#include "tools/out_of_memory.h"
#include "tools/variant.h"
#include "tools/warnings.h"

namespace firstcall {
namespace {

// Never destroyed: exit handlers and other threads of the program may run until the process has
// ended.
Engine* engine = nullptr;

int Report(const absl::Status& status) {
  PrintWarnings();
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  return 1;
}

// Without an engine, nothing ran, and the cache is flushed when it is destroyed.
void FlushCache() {
  if (engine != nullptr) engine->FlushCache();
}

// Nothing happened without an engine.
void FinishFiles() {
  if (engine != nullptr) FinishObservation([] { return engine->stats(); });
}

void PrintStats() {
  Stats stats = engine->stats();
  if (!ReasonForLlvm().empty()) stats.compiler_made_for = ReasonForLlvm();
  std::fputs(stats.ToString().c_str(), stderr);
}

// By what the C library calls the program in its messages.
void NameProcess(const std::string& program) {
  static const std::string* const name = new std::string(program);
  program_invocation_name = const_cast<char*>(name->c_str());
  program_invocation_short_name = const_cast<char*>(name->c_str()) + (name->rfind('/') + 1);
}

absl::StatusOr<int> RunCompiled(const CommandLine& command_line) {
  KeepFreedMemory();
  // The program must not see exceptions that libraries raised when they were loaded.
  std::feclearexcept(FE_ALL_EXCEPT);
  // Registered before the program's own handlers, so that it runs after everything was compiled.
  std::atexit(FlushCache);
  std::atexit(FinishFiles);
  absl::StatusOr<std::unique_ptr<Engine>> loaded = Load(command_line);
  // Perhaps only because LLVM's options were not understood.
  if (!loaded.ok()) RunWithLlvm("explaining an error");
  if (!loaded.ok()) return loaded.status();
  engine = loaded->release();
  if (command_line.print_stats) std::atexit(PrintStats);
  // Before anything runs, the command can still become the program with LLVM.
  FIRSTCALL_RETURN_IF_ERROR(engine->CheckMain(command_line.entry_function));
  // A function that cannot be compiled fails when it is called.
  if (command_line.prepares_all) (void)engine->PrepareAll();
  if (!command_line.hot_functions_file.empty()) {
    FIRSTCALL_RETURN_IF_ERROR(WriteHotFunctionsAtExit(*engine, command_line.hot_functions_file));
  }
  NameProcess(command_line.arguments.front());
  NoteThatProgramRuns();
  PrintWarnings();
  if (command_line.thread_entries.empty()) {
    return engine->RunMain(command_line.arguments, command_line.entry_function);
  }
  FIRSTCALL_RETURN_IF_ERROR(engine->RunConstructors(command_line.arguments));
  std::vector<std::thread> threads;
  absl::StatusOr<int> result = [&]() -> absl::StatusOr<int> {
    for (const std::string& entry : command_line.thread_entries) {
      FIRSTCALL_ASSIGN_OR_RETURN(void (*function)(), engine->Lookup<void()>(entry));
      threads.emplace_back(function);
    }
    return engine->RunMain(command_line.arguments, command_line.entry_function);
  }();
  for (std::thread& thread : threads) thread.join();
  return result;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Load(const CommandLine& command_line) {
  EngineOptions options = command_line.engine;
  options.event_listeners = Observe(command_line.observation);
  if (command_line.observation.perf == PerfOutput::kMap) options.page_mapper = PagesForPerfMap();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                             Engine::Create(std::move(options), CommandsCompiler()));
  // Added before the modules, because in eager mode modules are linked with the objects at once.
  for (const std::string& object : command_line.objects) {
    FIRSTCALL_RETURN_IF_ERROR(engine->AddObjectFile(object));
  }
  for (const LibraryFile& archive : command_line.archives) {
    FIRSTCALL_RETURN_IF_ERROR(engine->AddArchive(archive.path, archive.library));
  }
  FIRSTCALL_RETURN_IF_ERROR(engine->AddFiles(command_line.modules).status());
  return engine;
}

int ExitWith(const absl::StatusOr<int>& result) {
  if (!result.ok()) return Report(result.status());
  std::exit(*result);
}

int RunProgram(const CommandLine& command_line) { return ExitWith(RunCompiled(command_line)); }

}  // namespace firstcall
