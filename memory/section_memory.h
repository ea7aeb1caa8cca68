// The memory manager that MCJIT links an object with. Sections come from a module's memory, and
// unwind tables go to its registry. Neither belongs to the MCJIT instance, which can be destroyed
// after linking.
//
// Thread-compatible: belongs to one MCJIT instance.

#ifndef FIRSTCALL_MEMORY_SECTION_MEMORY_H_
#define FIRSTCALL_MEMORY_SECTION_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"

namespace firstcall {

class SectionMemory final : public llvm::RTDyldMemoryManager {
 public:
  SectionMemory() = default;
  // Gives back the memory and tables of an object that was begun and neither kept nor dropped.
  ~SectionMemory() override;

  // Where an object is placed.
  struct Placement {
    OwnedCode* owner = nullptr;
    ExecutorAddress near;  // As MemoryRequest::near.
    // As MemoryRequest::object. Not needed if `near` is given and there is only one section of
    // code: the object then goes where `near` is.
    SegmentSizes sizes;
    // The object has more than one section of code. They are placed together in one block, because
    // the unwinder requires the code that a table describes to be in one piece.
    bool has_several_code_sections = false;
    // Sections get room for jumps, for calls that do not reach their targets directly.
    bool needs_jumps = true;
  };

  // Call before loading an object, which must be kept or dropped afterwards. `symbols` are the
  // symbols whose addresses are wanted. They must stay valid until the object is loaded, the owner
  // until it is kept or dropped.
  void BeginObject(absl::Span<const absl::string_view> symbols, const Placement& placement);
  // Makes the object's memory ready to run and read, after its relocations have been applied. May
  // be called again after an error.
  absl::Status Finalize();
  // Passes the object's memory and tables to the owner.
  void Keep();
  // Gives back the object's memory and tables.
  void Drop();

  // The addresses of the wanted symbols of the current object, in their order; known once it is
  // loaded.
  const std::vector<ExecutorAddress>& addresses() const { return addresses_; }
  // Why the allocation of memory for the current object failed; OK if it did not.
  const absl::Status& status() const { return status_; }

  // Where a section of the current object that will run at `run` is written; null if there is no
  // such section.
  uint8_t* WriteAddressOf(ExecutorAddress run) const;

  // Bytes of code of the current object.
  size_t code_bytes() const { return code_bytes_; }

  bool allowStubAllocation() const override { return placement_.needs_jumps; }
  uint8_t* allocateCodeSection(uintptr_t size, unsigned alignment, unsigned section_id,
                               llvm::StringRef name) override;
  uint8_t* allocateDataSection(uintptr_t size, unsigned alignment, unsigned section_id,
                               llvm::StringRef name, bool is_read_only) override;
  using llvm::RTDyldMemoryManager::notifyObjectLoaded;
  // Tells the linker where each section will be seen, after the linker has copied all of them.
  void notifyObjectLoaded(llvm::RuntimeDyld& linker,
                          const llvm::object::ObjectFile& object) override;
  void registerEHFrames(uint8_t* write, uint64_t run, size_t size) override;
  // The code outlives the MCJIT instance, so its tables do, too.
  void deregisterEHFrames() override {}
  // Finalize does this, because it can report errors.
  bool finalizeMemory(std::string*) override { return false; }

 private:
  absl::StatusOr<MemoryBlock> AllocateUnwindable(const MemoryRequest& request);
  std::optional<MemoryBlock> AllocateBlock(Segment segment, size_t size, size_t alignment,
                                           llvm::StringRef section);
  uint8_t* Allocate(Segment segment, size_t size, size_t alignment, llvm::StringRef section);
  uint8_t* AllocateInCodeBlock(size_t size, size_t alignment, llvm::StringRef section);

  Placement placement_;
  absl::Span<const absl::string_view> symbols_;
  std::vector<ExecutorAddress> addresses_;
  std::vector<MemoryBlock> blocks_;
  // The sections are parts of these blocks.
  std::vector<MemoryBlock> sections_;
  MemoryBlock code_block_;  // The block of all code sections, or that of the last one.
  size_t code_block_used_ = 0;
  std::vector<UnwindTable> unwind_tables_;
  size_t code_bytes_ = 0;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SECTION_MEMORY_H_
