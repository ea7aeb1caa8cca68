// The memory manager MCJIT links an object with: sections go to an arena, unwind tables to a
// registry, and neither belongs to the MCJIT instance, which can be thrown away after linking.
//
// Thread-compatible: belongs to one MCJIT instance.

#ifndef FIRSTCALL_MEMORY_SECTION_MEMORY_H_
#define FIRSTCALL_MEMORY_SECTION_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "memory/arena.h"
#include "memory/executor_address.h"
#include "memory/unwind_registry.h"

namespace firstcall {

class SectionMemory final : public llvm::RTDyldMemoryManager {
 public:
  // Both must outlive the code.
  SectionMemory(Arena& arena, UnwindRegistry& unwind_registry)
      : arena_(arena), unwind_registry_(unwind_registry) {}

  // Forgets the last object. Call before loading one; `symbols` are those whose addresses are
  // wanted and must stay valid until it is loaded.
  void BeginObject(absl::Span<const absl::string_view> symbols);

  // Where the wanted symbols of the current object are, in their order; known when it is loaded.
  const std::vector<ExecutorAddress>& addresses() const { return addresses_; }

  // Why an allocation for the current object failed, if one did.
  const absl::Status& status() const { return status_; }

  // Where a section of the current object is written that will run at `run`; null if none will.
  uint8_t* WriteAddressOf(ExecutorAddress run) const;

  // Bytes of code of the current object.
  size_t code_bytes() const { return code_bytes_; }

  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned section_id,
                               llvm::StringRef name) override;
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned section_id,
                               llvm::StringRef name, bool is_read_only) override;
  using llvm::RTDyldMemoryManager::notifyObjectLoaded;
  // Tells the linker where each section will be seen, once it has copied them all.
  void notifyObjectLoaded(llvm::RuntimeDyld& linker,
                          const llvm::object::ObjectFile& object) override;
  void registerEHFrames(uint8_t* write, uint64_t run, size_t size) override;
  // The code stays when the MCJIT instance goes, so its tables do too.
  void deregisterEHFrames() override {}
  // Flushes the instruction cache; permissions are right from the start.
  bool finalizeMemory(std::string* error) override;

 private:
  struct Section {
    ArenaBlock block;
    size_t size = 0;
    bool is_code = false;
  };

  uint8_t* Allocate(Segment segment, size_t size, size_t alignment);

  Arena& arena_;
  UnwindRegistry& unwind_registry_;
  absl::Span<const absl::string_view> symbols_;
  std::vector<ExecutorAddress> addresses_;
  std::vector<Section> sections_;
  size_t code_bytes_ = 0;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SECTION_MEMORY_H_
