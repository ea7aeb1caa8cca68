// The memory manager that MCJIT links an object with: LLVM's interface of an ObjectMemory. Sections
// and unwind tables do not belong to the MCJIT instance, which can be destroyed after linking.
//
// Thread-compatible: belongs to one MCJIT instance.

#ifndef FIRSTCALL_BACKEND_MCJIT_SECTION_MEMORY_H_
#define FIRSTCALL_BACKEND_MCJIT_SECTION_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/ExecutionEngine/RTDyldMemoryManager.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/object_memory.h"
#include "memory/owned_code.h"

namespace firstcall {

class SectionMemory final : public llvm::RTDyldMemoryManager {
 public:
  SectionMemory() = default;

  // Where an object is placed; the fields but the last are those of ObjectMemory::Placement.
  struct Placement {
    OwnedCode* owner = nullptr;
    ExecutorAddress near;
    SegmentSizes sizes;
    bool has_several_code_sections = false;
    // Sections get room for range-extension thunks, for calls that do not reach their targets.
    bool needs_jumps = true;
  };

  // Call before loading an object, which must be kept or dropped afterwards. `symbols` are the
  // symbols whose addresses are wanted. They must stay valid until the object is loaded, the owner
  // until it is kept or dropped.
  void BeginObject(absl::Span<const absl::string_view> symbols, const Placement& placement);
  // Makes the object's memory ready to run and read, after its relocations have been applied. May
  // be called again after an error.
  absl::Status Finalize() { return memory_.Finalize(); }
  // Passes the object's memory and tables to the owner.
  void Keep() { memory_.Keep(); }
  // Gives back the object's memory and tables.
  void Drop() { memory_.Drop(); }

  // The addresses of the wanted symbols of the current object, in their order; known once it is
  // loaded.
  const std::vector<ExecutorAddress>& addresses() const { return addresses_; }
  // Why the allocation of memory for the current object failed; OK if it did not.
  const absl::Status& status() const { return status_; }

  // Where a section of the current object that will run at `run` is written; null if there is no
  // such section.
  uint8_t* WriteAddressOf(ExecutorAddress run) const;

  // Bytes of code of the current object.
  size_t code_bytes() const { return memory_.code_bytes(); }

  bool allowStubAllocation() const override { return needs_jumps_; }
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
  // Null if there is no memory: status_ has the reason. LLVM turns a null result into a fatal
  // error, which the linker guards against.
  uint8_t* Allocate(Segment segment, size_t size, size_t alignment, llvm::StringRef section);

  ObjectMemory memory_;
  bool needs_jumps_ = true;
  absl::Span<const absl::string_view> symbols_;
  std::vector<ExecutorAddress> addresses_;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_MCJIT_SECTION_MEMORY_H_
