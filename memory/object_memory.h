// The memory of one object while it is linked. Blocks come from the memory manager of the module
// that will own the object, and unwind tables go to its registry. Keep passes both to the owner.
//
// Thread-compatible: belongs to one linker.

#ifndef FIRSTCALL_MEMORY_OBJECT_MEMORY_H_
#define FIRSTCALL_MEMORY_OBJECT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/owned_code.h"

namespace firstcall {

class ObjectMemory {
 public:
  ObjectMemory() = default;
  // Frees the memory and tables of an object that was begun and neither kept nor dropped.
  ~ObjectMemory();
  ObjectMemory(const ObjectMemory&) = delete;
  ObjectMemory& operator=(const ObjectMemory&) = delete;

  // Where an object is placed.
  struct Placement {
    OwnedCode* owner = nullptr;
    ExecutorAddress near;  // As MemoryRequest::near.
    // As MemoryRequest::object. Not needed if `near` is given and the object has only one section
    // of code, because the object is then placed near that address.
    SegmentSizes sizes;
    // The object has more than one section of code. They are placed together in one block, because
    // the unwinder requires the code that a table describes to be in one piece.
    bool has_several_code_sections = false;
  };

  // Drops the previous object. The next object must be kept or dropped. The owner must exist until
  // then.
  void Begin(const Placement& placement);

  // Returns zeroed memory for a section. `alignment` is a power of two, or zero, which counts as
  // one. ResourceExhausted if memory runs out, or if the memory that the manager provided cannot be
  // used: it is out of reach of the rest of the object, or the unwinder would not find code in it.
  absl::StatusOr<MemoryBlock> Allocate(Segment segment, size_t size, size_t alignment,
                                       absl::string_view section);

  // The same for a section of data or constants that may be out of reach of the rest of the object.
  absl::StatusOr<MemoryBlock> AllocateAnywhere(Segment segment, size_t size, size_t alignment,
                                               absl::string_view section);

  // Makes an unwind table of the object's code known to the unwinder. The table is complete, and
  // ends with four zero bytes. Does nothing if the object has no code.
  void RegisterUnwindTable(ExecutorAddress run);

  // Makes the object's memory ready to run and read, after its relocations have been applied. May
  // be called again after an error.
  absl::Status Finalize();
  // Passes the object's memory and tables to the owner.
  void Keep();
  // Frees the object's memory and tables.
  void Drop();

  // The blocks that Allocate has returned for the current object, until it is kept or dropped.
  const std::vector<MemoryBlock>& sections() const { return sections_; }

  // Bytes of code of the current object.
  size_t code_bytes() const { return code_bytes_; }

 private:
  absl::StatusOr<MemoryBlock> AllocateUnwindable(const MemoryRequest& request);
  absl::StatusOr<MemoryBlock> AllocateBlock(Segment segment, size_t size, size_t alignment,
                                            absl::string_view section);
  absl::StatusOr<MemoryBlock> AllocateInCodeBlock(size_t size, size_t alignment,
                                                  absl::string_view section);
  void Forget();

  Placement placement_;
  std::vector<MemoryBlock> blocks_;
  // The sections are parts of these blocks.
  std::vector<MemoryBlock> sections_;
  MemoryBlock code_block_;  // The block of all code sections, or that of the last one.
  size_t code_block_used_ = 0;
  std::vector<UnwindTable> unwind_tables_;
  size_t code_bytes_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_OBJECT_MEMORY_H_
