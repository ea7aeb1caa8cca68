#include "backend/mcjit/section_memory.h"

#include "absl/status/statusor.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

void SectionMemory::BeginObject(absl::Span<const absl::string_view> symbols,
                                const Placement& placement) {
  memory_.Begin(
      {placement.owner, placement.near, placement.sizes, placement.has_several_code_sections});
  needs_jumps_ = placement.needs_jumps;
  symbols_ = symbols;
  addresses_.clear();
  status_ = absl::OkStatus();
}

uint8_t* SectionMemory::Allocate(Segment segment, size_t size, size_t alignment,
                                 llvm::StringRef section) {
  absl::StatusOr<MemoryBlock> block =
      memory_.Allocate(segment, size, alignment, absl::string_view(section.data(), section.size()));
  if (block.ok()) return block->write;
  status_ = block.status();
  return nullptr;
}

uint8_t* SectionMemory::allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef name) {
  return Allocate(Segment::kCode, size, alignment, name);
}

uint8_t* SectionMemory::allocateDataSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef name, bool is_read_only) {
  return Allocate(is_read_only ? Segment::kReadOnly : Segment::kData, size, alignment, name);
}

void SectionMemory::notifyObjectLoaded(llvm::RuntimeDyld& linker, const llvm::object::ObjectFile&) {
  for (const MemoryBlock& section : memory_.sections()) {
    if (ExecutorAddress::Of(section.write) != section.run) {
      linker.mapSectionAddress(section.write, section.run.value());
    }
  }
  for (absl::string_view symbol : symbols_) {
    addresses_.push_back(ExecutorAddress(
        linker.getSymbol(llvm::StringRef(symbol.data(), symbol.size())).getAddress()));
  }
}

uint8_t* SectionMemory::WriteAddressOf(ExecutorAddress run) const {
  for (const MemoryBlock& section : memory_.sections()) {
    if (section.run == run) return section.write;
  }
  return nullptr;
}

void SectionMemory::registerEHFrames(uint8_t*, uint64_t run, size_t) {
  memory_.RegisterUnwindTable(ExecutorAddress(run));
}

}  // namespace firstcall
