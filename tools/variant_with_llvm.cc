#include <limits.h>
#include <unistd.h>

#include <cstdlib>

#include "backend/llvm/llvm_arguments.h"
#include "base/out_of_memory.h"
#include "engine/linked_compiler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/PluginLoader.h"  // Defines -load.
#include "tools/isolation.h"
#include "tools/variant.h"
#include "tools/variant_environment.h"

namespace firstcall {
namespace {

std::string* reason_for_llvm = nullptr;

}  // namespace

// The program must not see the variables.
void SetUpVariant(char**) {
  const char* reason = std::getenv(kReasonVariable);
  reason_for_llvm = new std::string(reason == nullptr ? "" : reason);
  FindMarkOfIsolatedChild();
  RemoveMarks();
  RegisterTargetOptions();
}

void RunWithLlvm(absl::string_view) {}

bool MayBecomeTheOther() { return false; }

const std::string& ReasonForLlvm() { return *reason_for_llvm; }

std::string PathOfProgramWithLlvm() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length <= 0 || length == sizeof(path) ? "" : std::string(path, length);
}

void MarkForLlvm(absl::string_view) {
  if (!reason_for_llvm->empty()) setenv(kReasonVariable, reason_for_llvm->c_str(), /*replace=*/1);
  MarkIsolatedChild();
}

void RemoveMarks() {
  unsetenv(kReasonVariable);
  unsetenv(kIsolatedByVariable);
}

CompilerProvider& CommandsCompiler() { return LinkedCompiler(); }

std::vector<std::string> LlvmArguments(int argc, char** argv, absl::string_view input,
                                       const llvm::cl::OptionCategory& own) {
  std::vector<std::string> arguments;
  const auto& registered = llvm::cl::getRegisteredOptions();
  for (int i = 1; i < argc && argv[i] != input; ++i) {
    const llvm::StringRef argument = argv[i];
    const llvm::StringRef name = argument.ltrim('-').split('=').first;
    if (name == "load") {  // This process has done that, and a worker's sandbox forbids it.
      if (!argument.contains('=')) ++i;
      continue;
    }
    auto found = registered.find(name);
    const bool is_own =
        found != registered.end() &&
        llvm::any_of(found->second->Categories,
                     [&](const llvm::cl::OptionCategory* category) { return category == &own; });
    const bool is_level = argument.ltrim('-').starts_with("O");
    if (!is_own && !is_level) arguments.push_back(argument.str());
  }
  return arguments;
}

void LeaveLlvmOutOfMemory() { LeaveGuardedOutOfMemory(); }

void SetLlvmOutOfMemoryHandler(void (*end)(), bool (*is_own_work)()) {
  (void)is_own_work;  // LLVM shares its operator new with the rest of the command only.
  SetOutOfMemoryHandler(end);
}

}  // namespace firstcall
