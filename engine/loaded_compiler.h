// The compiler half in a shared library (seam/compiler_library), which is loaded, with LLVM, when
// something first has to be compiled. It stays loaded.
//
// Thread-safe. Tested in tests/engine/loaded_compiler_test.cc.

#ifndef FIRSTCALL_ENGINE_LOADED_COMPILER_H_
#define FIRSTCALL_ENGINE_LOADED_COMPILER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/compiler_provider.h"
#include "seam/compiler_library.h"

namespace firstcall {

// The directory of the program, or of the shared library, that this code is linked into; with a
// slash at its end. Empty if the system does not tell.
std::string OwnDirectory();

class LoadedCompiler final : public CompilerProvider {
 public:
  // `identified_by` is the file whose build ID stands for the compiler half in signatures; empty:
  // `library`. The command names its program with LLVM, which has the same compiler half and fills
  // the same cache. `on_load` may be empty. It is called with the reason before the library is
  // loaded, and may end or replace the process.
  LoadedCompiler(std::string library, std::string identified_by,
                 std::function<absl::Status(absl::string_view reason)> on_load);

  // The library, if it has been loaded; otherwise null. Async-signal-safe.
  const CompilerLibrary* library() const { return library_; }

  // CompilerLibrary::set_out_of_memory_handler. Call it before the library is needed.
  void SetOutOfMemoryHandler(void (*end)(), bool (*is_own_work)()) {
    is_own_work_ = is_own_work;
    end_out_of_memory_ = end;
  }

  std::string Identity(const CompilerSettings& settings) override;
  std::string IdentityOfServer() override { return identified_by_ == path_ ? "" : BuildIdentity(); }
  bool is_deferred() const override { return true; }
  bool AsksForEmulatedTls(const TargetSettings& settings) override;
  std::function<ExecutorAddress(const std::string& name)> ProcessSymbols() override;
  // Unavailable, with the dynamic linker's reason, if the library cannot be loaded.
  absl::StatusOr<std::unique_ptr<Compiler>> Create(const CompilerSettings& settings,
                                                   Listener& listener,
                                                   absl::string_view reason) override;
  std::unique_ptr<Compiler> CreateSmall(const CompilerSettings& settings) override;

 private:
  std::string BuildIdentity() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<const CompilerLibrary*> Load(absl::string_view reason) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string path_;
  const std::string identified_by_;
  const std::function<absl::Status(absl::string_view)> on_load_;
  std::atomic<void (*)()> end_out_of_memory_{nullptr};
  std::atomic<bool (*)()> is_own_work_{nullptr};  // Set if end_out_of_memory_ is.
  absl::Mutex mutex_;  // Held while the library is loaded, or the build ID is read.
  std::string identity_ ABSL_GUARDED_BY(mutex_);  // Empty until it is needed.
  std::atomic<const CompilerLibrary*> library_{nullptr};
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_LOADED_COMPILER_H_
