#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/loaded_compiler.h"
#include "llvm/Support/CommandLine.h"
#include "tools/isolation.h"
#include "tools/out_of_memory.h"
#include "tools/variant.h"
#include "tools/variant_environment.h"

namespace firstcall {
namespace {

constexpr char kProgramWithLlvm[] = "firstcall-llvm";

// Options that this program does not know are LLVM's. One with a value in the next argument looks
// as if that were the program to run. Then nothing is found in a cache: what a cache has was stored
// with the same options by the program with LLVM, which knows which of them have values.
llvm::cl::list<std::string> unknown_options(llvm::cl::Sink);

char** arguments = nullptr;
std::string* reason_for_llvm = nullptr;
LoadedCompiler* compiler = nullptr;

// Where the other files of the command are.
std::string PathOf(absl::string_view file) {
  static const std::string* const directory = new std::string(OwnDirectory());
  // A path in any case: a name alone would be looked for elsewhere.
  return absl::StrCat(directory->empty() ? "/" : *directory, file);
}

// Before the program runs, its process can still become the other one. Later the library is loaded.
absl::Status OnLoad(absl::string_view reason) {
  if (!ProgramRuns()) RunWithLlvm(reason);
  *reason_for_llvm = std::string(reason);
  return absl::OkStatus();
}

}  // namespace

void SetUpVariant(char** argv) {
  arguments = argv;
  reason_for_llvm = new std::string;
  compiler = new LoadedCompiler(PathOf(kCompilerLibraryName), PathOf(kProgramWithLlvm), OnLoad);
}

void RunWithLlvm(absl::string_view reason) {
  const std::string path = PathOfProgramWithLlvm();
  MarkForLlvm(reason);
  execv(path.c_str(), arguments);
  std::fprintf(stderr, "firstcall: running '%s': %s\n", path.c_str(), std::strerror(errno));
  std::_Exit(1);
}

std::string PathOfProgramWithLlvm() { return PathOf(kProgramWithLlvm); }

void MarkForLlvm(absl::string_view reason) {
  setenv(kReasonVariable, std::string(reason).c_str(), /*replace=*/1);
  MarkIsolatedChild();
}

void RemoveMarks() {
  unsetenv(kReasonVariable);
  unsetenv(kIsolatedByVariable);
}

bool MayBecomeTheOther() { return true; }

const std::string& ReasonForLlvm() { return *reason_for_llvm; }

CompilerProvider& CommandsCompiler() { return *compiler; }

std::vector<std::string> LlvmArguments(int, char**, absl::string_view,
                                       const llvm::cl::OptionCategory&) {
  for (const std::string& option : unknown_options) {
    // LLVM's plug-ins are linked with LLVM.
    if (absl::StartsWith(option, "-load") || absl::StartsWith(option, "--load")) {
      RunWithLlvm("loading a plug-in");
    }
  }
  return {unknown_options.begin(), unknown_options.end()};
}

void LeaveLlvmOutOfMemory() {
  const CompilerLibrary* const library = compiler == nullptr ? nullptr : compiler->library();
  if (library != nullptr) library->leave_guarded_out_of_memory();
}

void SetLlvmOutOfMemoryHandler(void (*end)(), bool (*is_own_work)()) {
  compiler->SetOutOfMemoryHandler(end, is_own_work);
}

}  // namespace firstcall
