#include "compiler/compiler_library.h"

#include "absl/synchronization/mutex.h"
#include "base/out_of_memory.h"
#include "codegen/target.h"
#include "compiler/in_process_compiler.h"

extern "C" __attribute__((visibility("default"))) const firstcall::CompilerLibrary*
firstcall_compiler_library() {
  using firstcall::CompilerLibrary;
  static const CompilerLibrary library = {
      CompilerLibrary::kVersion,
      [](const firstcall::CompilerSettings& settings,
         firstcall::Listener& listener) -> absl::StatusOr<std::unique_ptr<firstcall::Compiler>> {
        // The library's own copy of Abseil does not know what the program has set in its copy.
        absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
        return firstcall::InProcessCompiler::Create(settings, listener);
      },
      &firstcall::DescribeTargetOptions,
      &firstcall::LeaveGuardedOutOfMemory,
      &firstcall::SetOutOfMemoryHandler,
  };
  return &library;
}
