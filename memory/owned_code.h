// The memory that one module owns: blocks, unwind tables, and actions for when they are freed. All
// are released together, when the owner is destroyed.
//
// Thread-safe. Tested in tests/object/elf_linker_test.cc.

#ifndef FIRSTCALL_MEMORY_OWNED_CODE_H_
#define FIRSTCALL_MEMORY_OWNED_CODE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/thread_local_blocks.h"
#include "memory/unwind_registry.h"
#include "memory/variable_memory.h"

namespace firstcall {

class OwnedCode {
 public:
  OwnedCode(std::shared_ptr<MemoryManager> memory, std::shared_ptr<UnwindRegistry> unwind_registry);
  // Withdraws the tables, then runs the actions given to OnFree, then frees the blocks. No thread
  // may have a frame of code in them on its stack.
  ~OwnedCode();
  OwnedCode(const OwnedCode&) = delete;
  OwnedCode& operator=(const OwnedCode&) = delete;

  MemoryManager& memory() const { return *memory_; }
  UnwindRegistry& unwind_registry() const { return *unwind_registry_; }

  // Takes over blocks of memory() and tables that are registered with unwind_registry().
  void Add(absl::Span<const MemoryBlock> blocks, absl::Span<const UnwindTable> unwind_tables)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void OnFree(std::function<void()> action) ABSL_LOCKS_EXCLUDED(mutex_);

  // Notes a module of thread-local variables, which must exist until Free runs the actions.
  void Note(ThreadLocalModule& thread_locals) ABSL_LOCKS_EXCLUDED(mutex_);

  // The variables in what was added and noted so far.
  struct Variables {
    std::vector<absl::Span<const char>> data;
    std::vector<ThreadLocalModule*> thread_locals;
  };
  Variables variables() const ABSL_LOCKS_EXCLUDED(mutex_);

  size_t code_bytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Frees blocks that were not added.
  void Free(absl::Span<const MemoryBlock> blocks) const;

 private:
  const std::shared_ptr<MemoryManager> memory_;
  const std::shared_ptr<UnwindRegistry> unwind_registry_;
  VariableMemory& variable_memory_;
  // One mutex for all owners: there is an owner for each module, each rarely used, and absl's
  // deadlock detection gets slower with each mutex that exists.
  static absl::Mutex mutex_;
  std::vector<MemoryBlock> blocks_ ABSL_GUARDED_BY(mutex_);
  std::list<VariableMemory::Piece> variables_ ABSL_GUARDED_BY(mutex_);  // The blocks of data.
  std::vector<ThreadLocalModule*> thread_locals_ ABSL_GUARDED_BY(mutex_);
  std::vector<UnwindTable> unwind_tables_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> on_free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_OWNED_CODE_H_
