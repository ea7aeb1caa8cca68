#include "memory/section_memory.h"

#include <algorithm>

#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

void SectionMemory::BeginObject(absl::Span<const absl::string_view> symbols) {
  symbols_ = symbols;
  addresses_.clear();
  sections_.clear();
  code_bytes_ = 0;
  status_ = absl::OkStatus();
}

uint8_t* SectionMemory::Allocate(Segment segment, size_t size, size_t alignment) {
  absl::StatusOr<ArenaBlock> block = arena_.Allocate(segment, size, std::max<size_t>(alignment, 1));
  if (!block.ok()) {
    status_ = block.status();
    return nullptr;  // LLVM turns this into a fatal error, which the linker guards against.
  }
  sections_.push_back({*block, size, segment == Segment::kCode});
  if (segment == Segment::kCode) code_bytes_ += size;
  return block->write;
}

uint8_t* SectionMemory::allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef) {
  return Allocate(Segment::kCode, size, alignment);
}

uint8_t* SectionMemory::allocateDataSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef, bool is_read_only) {
  return Allocate(is_read_only ? Segment::kReadOnly : Segment::kData, size, alignment);
}

void SectionMemory::notifyObjectLoaded(llvm::RuntimeDyld& linker, const llvm::object::ObjectFile&) {
  for (const Section& section : sections_) {
    if (ExecutorAddress::Of(section.block.write) != section.block.run) {
      linker.mapSectionAddress(section.block.write, section.block.run.value());
    }
  }
  for (absl::string_view symbol : symbols_) {
    addresses_.push_back(ExecutorAddress(
        linker.getSymbol(llvm::StringRef(symbol.data(), symbol.size())).getAddress()));
  }
}

uint8_t* SectionMemory::WriteAddressOf(ExecutorAddress run) const {
  for (const Section& section : sections_) {
    if (section.block.run == run) return section.block.write;
  }
  return nullptr;
}

void SectionMemory::registerEHFrames(uint8_t*, uint64_t run, size_t) {
  unwind_registry_.Register(ExecutorAddress(run));
}

bool SectionMemory::finalizeMemory(std::string*) {
  for (const Section& section : sections_) {
    if (!section.is_code) continue;
    char* begin = section.block.run.InThisProcess<char*>();
    __builtin___clear_cache(begin, begin + section.size);
  }
  return false;
}

}  // namespace firstcall
