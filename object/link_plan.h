// Says where the parts of an object will lie, relative to each other, and which entries of an
// offset table, which descriptors of thread-local variables and which jumps its references need.
// Made before any memory is allocated.
//
// Thread-compatible. Immutable between two calls of Make. Tested in
// tests/object/elf_linker_test.cc.

#ifndef FIRSTCALL_OBJECT_LINK_PLAN_H_
#define FIRSTCALL_OBJECT_LINK_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/memory_manager.h"
#include "memory/thread_local_blocks.h"
#include "object/elf_object.h"
#include "object/relocation.h"

namespace firstcall {

class LinkPlan {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  static constexpr uint64_t kEntrySize = 8;  // Of an offset table.
  static constexpr uint64_t kDescriptorSize = sizeof(ThreadLocalDescriptor);

  // A loaded section, by the section's number. Other sections have no part.
  struct Section {
    bool is_loaded = false;
    size_t part = 0;      // The number of the part it lies in.
    uint64_t offset = 0;  // Its offset there, and in the block if it has thread-local variables.
    // Has thread-local variables. It is loaded if it has bytes, which are a part of the image.
    bool is_thread_local = false;
  };

  // How a symbol gets its address, by the symbol's number.
  enum class Source : uint8_t {
    kUnused,       // No loaded section refers to it, and it is not defined by a loaded section.
    kUndefined,    // From another object.
    kSection,      // At `value` in `section`.
    kData,         // At `value` in the segment of data: a tentative (common) definition.
    kAbsolute,     // `value`.
    kOffsetTable,  // The beginning of the offset table.
    kThreadLocal,  // At `value` in the block of thread-local variables.
  };
  struct Symbol {
    Source source = Source::kUnused;
    uint32_t section = 0;
    uint32_t entry = kNone;       // Its entry of the offset table, if it needs one.
    uint32_t jump = kNone;        // The number of its jump, if it may need one.
    uint32_t descriptor = kNone;  // The number of its thread-local descriptor, if it needs one.
    uint64_t value = 0;
  };

  // What lies in one block of memory: a segment, the large variables of a segment, or a section for
  // whose block a client looks.
  struct Part {
    Segment segment = Segment::kData;
    bool is_far = false;  // May be out of reach of the other parts.
    uint64_t size = 0;
    uint64_t alignment = 1;
    absl::string_view name;  // The name of the first section that is not empty; for messages.
  };

  // Plans for `object`. Unimplemented, with the number of the relocation and the name of the
  // symbol, if the object has something that this linker does not support; InvalidArgument if a
  // relocation or a section is damaged; ResourceExhausted if the object is too large to be loaded.
  absl::Status Make(const ElfObject& object);

  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  // The first three are the segments.
  const std::vector<Part>& parts() const { return parts_; }
  static size_t PartOf(Segment segment) { return static_cast<size_t>(segment); }

  // The block that each thread has for the thread-local variables; empty if the object defines
  // none.
  const Part& thread_locals() const { return thread_locals_; }
  // The part with what the block begins with, a copy of which each thread gets; kNone: the block is
  // all zeros at first.
  size_t image_part() const { return image_part_; }

  // The descriptors of thread-local variables, in the read-only segment.
  uint64_t descriptors_offset() const { return descriptors_offset_; }
  bool has_descriptors() const { return descriptor_count_ != 0; }
  // The number of the descriptor of the block itself; kNone if no relocation needs it.
  uint32_t own_block_descriptor() const { return own_block_descriptor_; }

  // The offset table, in the read-only segment. It has at least one entry if a relocation uses its
  // address.
  uint64_t table_offset() const { return table_offset_; }
  bool has_table() const { return entry_count_ != 0; }

  // The jumps, in the segment of code.
  uint64_t jumps_offset() const { return jumps_offset_; }
  uint64_t jump_size() const { return jump_size_; }

 private:
  static absl::StatusOr<uint64_t> AddTo(Part& part, uint64_t size, uint64_t alignment,
                                        absl::string_view name);
  absl::StatusOr<uint64_t> Add(size_t part, uint64_t size, uint64_t alignment,
                               absl::string_view name) {
    return AddTo(parts_[part], size, alignment, name);
  }
  size_t PartFor(const ElfObject::Section& section, bool is_far);
  size_t FarPartOf(Segment segment);
  absl::Status AddSections(const ElfObject& object);
  absl::Status AddSection(const ElfObject& object, size_t number);
  absl::Status AddThreadLocals(const ElfObject& object);
  absl::Status AddSymbols(const ElfObject& object);
  absl::Status Classify(const ElfObject& object, size_t number);
  absl::Status AddReferences(const ElfObject& object, const ElfObject::Section& table);
  absl::Status AddReference(const ElfObject& object, const ElfObject::Section& section,
                            const ElfObject::Relocation& relocation);
  absl::Status AddThreadLocalReference(const ElfObject& object, uint32_t number,
                                       const RelocationKindInfo& kind);
  absl::Status AddTables();

  std::vector<uint32_t> far_sections_;  // Their numbers, in ascending order.
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  std::vector<Part> parts_;
  uint32_t entry_count_ = 0;
  uint32_t jump_count_ = 0;
  uint32_t descriptor_count_ = 0;
  uint32_t own_block_descriptor_ = kNone;
  Part thread_locals_;
  size_t image_part_ = kNone;
  uint64_t descriptors_offset_ = 0;
  uint64_t table_offset_ = 0;
  uint64_t jumps_offset_ = 0;
  uint64_t jump_size_ = 0;
};

// The name of a symbol for messages: that of its section if it has none.
absl::string_view NameForMessage(const ElfObject& object, size_t symbol);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_LINK_PLAN_H_
