#include "tools/out_of_memory.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <new>
#include <typeinfo>

#include "absl/strings/string_view.h"
#include "runtime/process/work_scope.h"
#include "tools/variant.h"

namespace firstcall {
namespace {

std::atomic<bool> program_runs{false};
std::terminate_handler usual_terminate = nullptr;

// Whether this thread does the command's own work.
bool IsOwnWork() { return !program_runs || WorkScope::IsInterrupted(); }

// Must not need memory, and must not run exit handlers.
[[noreturn]] void End() {
  constexpr absl::string_view kMessage = "firstcall: out of memory\n";
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kOutOfMemoryExitStatus);
}

void OnNewFailed() {
  if (!IsOwnWork()) throw std::bad_alloc();
  LeaveLlvmOutOfMemory();
  End();
}

bool HasMemoryForAnException() {
  constexpr size_t kSize = 256;                // With the C++ library's own part.
  void* volatile memory = std::malloc(kSize);  // Otherwise the compiler may leave it out.
  const bool has_memory = memory != nullptr;
  std::free(memory);
  return has_memory;
}

// Memory may be too short even for an exception: then there is none. But there is none either if
// the process is ended for another reason.
[[noreturn]] void OnTerminate() {
  const std::type_info* const thrown = abi::__cxa_current_exception_type();
  const bool lacks_memory =
      thrown == nullptr ? !HasMemoryForAnException() : *thrown == typeid(std::bad_alloc);
  if (lacks_memory && IsOwnWork()) End();
  usual_terminate();
  __builtin_unreachable();
}

}  // namespace

void EndWhenOutOfMemory() {
  SetLlvmOutOfMemoryHandler(End, IsOwnWork);
  std::set_new_handler(OnNewFailed);
  usual_terminate = std::set_terminate(OnTerminate);
}

void NoteThatProgramRuns() { program_runs = true; }

bool ProgramRuns() { return program_runs; }

}  // namespace firstcall
