#include "tests/testing/host.h"

#include <cstdlib>

namespace firstcall {
namespace {

// Set by third_party/aarch64/emulate.sh: itself, which looks at what it is asked to start.
const char* Starter() { return std::getenv("FIRSTCALL_EMULATE"); }

}  // namespace

bool IsEmulated() { return Starter() != nullptr; }

std::vector<std::string> OnThisMachine(std::vector<std::string> command) {
  if (Starter() != nullptr) command.insert(command.begin(), Starter());
  return command;
}

bool HasVfork() {
#if defined(ABSL_HAVE_THREAD_SANITIZER)
  return false;
#else
  return !IsEmulated();
#endif
}

std::string ClangTargetOption() {
#if defined(__aarch64__)
  return "--target=aarch64-linux-gnu";
#else
  return "--target=x86_64-linux-gnu";
#endif
}

}  // namespace firstcall
