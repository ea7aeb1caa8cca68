#include "tools/run_program.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/engine.h"
#include "llvm/Support/DynamicLibrary.h"

namespace firstcall {
namespace {

// Never destroyed: exit handlers and other threads of the program may run until the process is
// gone.
Engine* engine = nullptr;

int Report(const absl::Status& status) {
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  return 1;
}

void PrintStats() { std::fputs(engine->stats().ToString().c_str(), stderr); }

absl::Status Load(const CommandLine& command_line) {
  for (const std::string& library : command_line.libraries) {
    std::string error;
    if (llvm::sys::DynamicLibrary::LoadLibraryPermanently(library.c_str(), &error)) {
      return absl::NotFoundError(absl::StrCat("loading library '", library, "': ", error));
    }
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> created, Engine::Create(command_line.engine));
  engine = created.release();
  // Before the modules, which in eager mode are linked with them at once.
  for (const std::string& object : command_line.objects) {
    FIRSTCALL_RETURN_IF_ERROR(engine->AddObjectFile(object));
  }
  for (const std::string& archive : command_line.archives) {
    FIRSTCALL_RETURN_IF_ERROR(engine->AddArchive(archive));
  }
  return engine->AddFiles(command_line.modules).status();
}

}  // namespace

int RunProgram(const CommandLine& command_line) {
  if (absl::Status status = Load(command_line); !status.ok()) return Report(status);
  if (command_line.print_stats) std::atexit(PrintStats);
  absl::StatusOr<int> result = engine->RunMain(command_line.arguments, command_line.entry_function);
  if (!result.ok()) return Report(result.status());
  std::exit(*result);
}

}  // namespace firstcall
