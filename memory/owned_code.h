// What one module has in memory: blocks, unwind tables, and what else must end with them. All of it
// is given back together, when the owner is destroyed.
//
// Thread-safe.

#ifndef FIRSTCALL_MEMORY_OWNED_CODE_H_
#define FIRSTCALL_MEMORY_OWNED_CODE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/unwind_registry.h"

namespace firstcall {

class OwnedCode {
 public:
  OwnedCode(std::shared_ptr<MemoryManager> memory, std::shared_ptr<UnwindRegistry> unwind_registry);
  // Withdraws the tables, then does what OnFree was given, then frees the blocks. No code in them
  // may be on any stack.
  ~OwnedCode();
  OwnedCode(const OwnedCode&) = delete;
  OwnedCode& operator=(const OwnedCode&) = delete;

  MemoryManager& memory() const { return *memory_; }
  UnwindRegistry& unwind_registry() const { return *unwind_registry_; }

  // Takes over blocks of memory() and tables that are registered with unwind_registry().
  void Add(absl::Span<const MemoryBlock> blocks, absl::Span<const UnwindTable> unwind_tables)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void OnFree(std::function<void()> action) ABSL_LOCKS_EXCLUDED(mutex_);

  size_t code_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives blocks back that were not added.
  void Free(absl::Span<const MemoryBlock> blocks) const;

  // How often memory has been given back in this process: an address that was in use at one count
  // may be in other use at another.
  static uint64_t free_count();

 private:
  const std::shared_ptr<MemoryManager> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  // Of all: there are as many owners as modules, each rarely used, and absl's deadlock detection
  // gets slower with each mutex there is.
  static absl::Mutex mutex_;
  std::vector<MemoryBlock> blocks_ ABSL_GUARDED_BY(mutex_);
  std::vector<UnwindTable> unwind_tables_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> on_free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_OWNED_CODE_H_
