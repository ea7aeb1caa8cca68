// Makes the unwind tables (.eh_frame) of compiled code known to the process's unwinders.
//
// Thread-safe. Never blocks on a compile.

#ifndef FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_
#define FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/forks.h"
#include "memory/executor_address.h"
#include "memory/unwinder.h"

namespace firstcall {

class UnwindRegistry {
 public:
  // The registry that all engines share, so that the registrations of one engine do not interleave
  // with those of another. It is never destroyed.
  static std::shared_ptr<UnwindRegistry> OfProcess();

  // For all unwinders of this process, and those that FindUnwinders finds later. Locks as that
  // does.
  UnwindRegistry();
  // For these unwinders only.
  explicit UnwindRegistry(std::vector<std::unique_ptr<Unwinder>> unwinders)
      : has_given_unwinders_(true), unwinders_(std::move(unwinders)) {}
  // Withdraws every table. No code that they describe may be on any stack.
  ~UnwindRegistry() = default;
  UnwindRegistry(const UnwindRegistry&) = delete;
  UnwindRegistry& operator=(const UnwindRegistry&) = delete;

  // Takes time as the unwinders' Register does.
  void Register(const UnwindTable& table) ABSL_LOCKS_EXCLUDED(mutex_);

  // Withdraws registered tables. No code that they describe may be on any stack. Takes time as the
  // unwinders' Withdraw does.
  void Withdraw(absl::Span<const UnwindTable> tables) ABSL_LOCKS_EXCLUDED(mutex_);

  // Registers all tables with the unwinders that have been loaded since the last call. To be called
  // when a library has been loaded: code that was compiled before may call into it and be called
  // back. Takes GNU libc's lock of loaded libraries (CountOfLoadedLibraries): the caller holds no
  // lock that compiled code may need, and compiles no function. Does nothing in a forked child.
  void FindUnwinders() ABSL_LOCKS_EXCLUDED(mutex_);

  // The present number of registrations with the unwinders.
  size_t registration_count() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Of the registry of the process.
  static void LockForFork() ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void UnlockAfterFork() ABSL_NO_THREAD_SAFETY_ANALYSIS;

  const bool has_given_unwinders_ = false;
  const uint64_t process_ = ProcessIdentity();
  // That of CountOfLoadedLibraries when unwinders were last looked for.
  std::atomic<uint64_t> library_count_{0};
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<const void*, ExecutorAddress> code_of_table_ ABSL_GUARDED_BY(mutex_);
  // The unwinders' functions, by which they are recognized.
  absl::flat_hash_set<const void*> known_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Unwinder>> unwinders_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_UNWIND_REGISTRY_H_
