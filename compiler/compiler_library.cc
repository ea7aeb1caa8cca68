#include "seam/compiler_library.h"

#include <new>

#include "absl/synchronization/mutex.h"
#include "backend/llvm/target.h"
#include "base/out_of_memory.h"
#include "compiler/in_process_compiler.h"
#include "seam/seam_digest.h"

namespace {

void (*out_of_memory_handler)() = nullptr;

// The library's own copy of the C++ library does not know what the program has set in its copy.
void OnNewFailed() {
  firstcall::LeaveGuardedOutOfMemory();
  out_of_memory_handler();
}

void SetOutOfMemoryHandler(void (*handler)()) {
  out_of_memory_handler = handler;
  firstcall::SetOutOfMemoryHandler(handler);
  std::set_new_handler(OnNewFailed);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const firstcall::CompilerLibrary*
firstcall_compiler_library() {
  using firstcall::CompilerLibrary;
  static const CompilerLibrary library = {
      CompilerLibrary::kVersion,
      firstcall::kSeamDigest,
      ABSL_LTS_RELEASE_VERSION,
      [](const firstcall::CompilerSettings& settings,
         firstcall::Listener& listener) -> absl::StatusOr<std::unique_ptr<firstcall::Compiler>> {
        // The library's own copy of Abseil does not know what the program has set in its copy.
        absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
        return firstcall::InProcessCompiler::Create(settings, listener);
      },
      &firstcall::DescribeTargetOptions,
      &firstcall::LeaveGuardedOutOfMemory,
      &SetOutOfMemoryHandler,
  };
  return &library;
}
