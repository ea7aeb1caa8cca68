// The memory manager MCJIT links an object with: sections come from a module's memory and unwind
// tables go to its registry, and neither belongs to the MCJIT instance, which can be thrown away
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
  // Gives back what an object has that was begun and neither kept nor dropped.
  ~SectionMemory() override;

  // Where an object goes.
  struct Placement {
    OwnedCode* owner = nullptr;
    ExecutorAddress near;  // As MemoryRequest::near.
    // As MemoryRequest::object. Not needed if `near` is given and there is one section of code:
    // then the object goes where that is.
    SegmentSizes sizes;
    // It has more than one section of code: they get one block together, because the unwinder wants
    // the code that a table describes in one piece.
    bool has_several_code_sections = false;
    // Sections get room for jumps to what their calls do not reach themselves.
    bool needs_jumps = true;
  };

  // Call before loading an object, which must be kept or dropped afterwards. `symbols` are those
  // whose addresses are wanted and must stay valid until it is loaded; the owner, until then.
  void BeginObject(absl::Span<const absl::string_view> symbols, const Placement& placement);
  // Makes the object's memory ready to run and read, when its references are bound. May be called
  // again after an error.
  absl::Status Finalize();
  // Lets the owner have the object's memory and tables.
  void Keep();
  // Gives them back.
  void Drop();

  // Where the wanted symbols of the current object are, in their order; known when it is loaded.
  const std::vector<ExecutorAddress>& addresses() const { return addresses_; }
  // Why providing memory for the current object failed, if it did.
  const absl::Status& status() const { return status_; }

  // Where a section of the current object is written that will run at `run`; null if none will.
  uint8_t* WriteAddressOf(ExecutorAddress run) const;

  // Bytes of code of the current object.
  size_t code_bytes() const { return code_bytes_; }

  bool allowStubAllocation() const override { return placement_.needs_jumps; }
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
  // Left to Finalize, which can tell what went wrong.
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
  // Sections are these parts of them.
  std::vector<MemoryBlock> sections_;
  MemoryBlock code_block_;  // The block for all code, or the last section's.
  size_t code_block_used_ = 0;
  std::vector<UnwindTable> unwind_tables_;
  size_t code_bytes_ = 0;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_SECTION_MEMORY_H_
