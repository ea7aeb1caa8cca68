// Loads relocatable ELF objects of x86-64 and AArch64 into executable memory, and binds their
// references. Needs no LLVM.
//
// All sections with SHF_ALLOC are loaded; those of one segment (code, read-only, data) lie in one
// block of memory, except large variables, which may lie anywhere, and those for whose blocks a
// client looks (object/link_plan). An object that uses an offset table gets one of its own, among
// its read-only data. If a call might not reach its target, room for a jump is reserved behind the
// object's code; whether the call uses the jump is decided when the target's address is known.
// Sections without SHF_ALLOC, such as debug information, are not loaded, and their relocations are
// ignored.
//
// The thread-local variables of an object lie in a block that each thread has
// (thread_local_blocks). For such a variable the address of a symbol, here and in a
// SymbolResolution, is the address of a ThreadLocalDescriptor; the object's references use copies,
// which lie next to the offset table.
//
// Thread-compatible: belongs to one unfinished object.

#ifndef FIRSTCALL_OBJECT_ELF_LINKER_H_
#define FIRSTCALL_OBJECT_ELF_LINKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "memory/object_memory.h"
#include "memory/owned_code.h"
#include "memory/thread_local_blocks.h"
#include "object/elf_object.h"
#include "object/link_plan.h"
#include "object/linker.h"
#include "object/symbol_addresses.h"

namespace firstcall {

class ElfLinker final : public Linker {
 public:
  ElfLinker() = default;
  ~ElfLinker() override;

  // Checks whether this linker supports everything in `object`. Unimplemented, with the number of
  // the relocation and the name of the symbol, if it does not. InvalidArgument or ResourceExhausted
  // if Load would return that before it asks for memory. Load checks the same, so a call of this
  // before Load only costs time.
  static absl::Status CanLink(const ElfObject& object);

  // Does not change the object, so after an error it can be loaded again, here or by another
  // linker. Errors: those of CanLink, before memory is allocated; those of the memory manager.
  absl::StatusOr<SymbolAddresses> Load(ElfObject& object, OwnedCode& owner,
                                       ExecutorAddress near) override;

  // Errors: Internal if a symbol is missing or out of reach; Unimplemented if an address does not
  // fit into the bits it is to fill; InvalidArgument if the object is damaged. May be called again
  // after an error.
  absl::Status Bind(const SymbolResolution& resolution) override;
  std::vector<TableEntry> TableEntries() const override;
  absl::Status Finalize() override;
  void Keep() override;
  void Drop() override;
  ExecutorAddress AddressOf(uint32_t section) const override;
  size_t code_bytes() const override { return memory_.code_bytes(); }

 private:
  absl::Status Place(OwnedCode& owner, ExecutorAddress near);
  absl::Status Allocate(size_t part);
  void CopySections();
  absl::Status MakeThreadLocals();
  void LocateSymbols();
  SymbolAddresses Definitions() const;
  absl::Status BindAll(const SymbolResolution& resolution);
  absl::Status ResolveSymbols(const SymbolResolution& resolution);
  void WriteOffsetTable();
  void WriteDescriptors();
  absl::Status ApplyRelocations(const ElfObject::Section& table);
  absl::Status ApplyRelocation(const ElfObject::Relocation& relocation,
                               absl::Span<const char> original, absl::Span<uint8_t> section,
                               ExecutorAddress run);
  absl::Status RegisterUnwindTables();
  void AddTableEntries(const ElfObject::Section& table, std::vector<TableEntry>& entries) const;
  void HandOver();  // To the owner.

  const MemoryBlock& block(Segment segment) const { return blocks_[LinkPlan::PartOf(segment)]; }
  ExecutorAddress table() const { return block(Segment::kReadOnly).run + plan_.table_offset(); }

  // The thread-local variables of an object, and the descriptors of those that have names.
  struct ThreadLocals {
    std::unique_ptr<ThreadLocalModule> module;
    std::vector<ThreadLocalDescriptor> descriptors;
  };

  ObjectMemory memory_;
  LinkPlan plan_;                                // For the object that was loaded last.
  std::vector<MemoryBlock> blocks_;              // Of the plan's parts; null if empty.
  ExecutorAddress origin_;                       // Any block of that object.
  std::vector<ExecutorAddress> addresses_;       // Of that object's symbols.
  std::shared_ptr<ThreadLocals> thread_locals_;  // Of the loaded object; null if it has none.
  const ElfObject* object_ = nullptr;            // Null if no object is loaded.
  OwnedCode* owner_ = nullptr;                   // Of the loaded object.
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_LINKER_H_
