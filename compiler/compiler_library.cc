#include "seam/compiler_library.h"

#include <atomic>
#include <new>

#include "absl/synchronization/mutex.h"
#include "backend/llvm/target.h"
#include "base/out_of_memory.h"
#include "compiler/in_process_compiler.h"
#include "seam/seam_digest.h"

namespace {

void (*end_out_of_memory)() = nullptr;
bool (*is_own_work)() = nullptr;
std::atomic<std::new_handler> handler_before{nullptr};

// The copy of the C++ library that this library uses is not the command's, which has what the
// command has set. It may be that of the compiled program.
void OnNewFailed() {
  if (is_own_work()) {
    firstcall::LeaveGuardedOutOfMemory();
    end_out_of_memory();
  }
  const std::new_handler handler = handler_before;
  if (handler == nullptr) throw std::bad_alloc();
  handler();
}

void SetOutOfMemoryHandler(void (*end)(), bool (*asks_own_work)()) {
  end_out_of_memory = end;
  is_own_work = asks_own_work;
  firstcall::SetOutOfMemoryHandler(end);
  const std::new_handler before = std::get_new_handler();
  if (before == OnNewFailed) return;  // It must not call itself.
  handler_before = before;
  handler_before = std::set_new_handler(OnNewFailed);  // The program may have set another one.
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
