#include "memory/section_memory.h"

#include <algorithm>

#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

SectionMemory::~SectionMemory() { Drop(); }

void SectionMemory::BeginObject(absl::Span<const absl::string_view> symbols,
                                const Placement& placement) {
  Drop();
  placement_ = placement;
  symbols_ = symbols;
  addresses_.clear();
  code_bytes_ = 0;
  status_ = absl::OkStatus();
}

void SectionMemory::Keep() {
  placement_.owner->Add(blocks_, unwind_tables_);
  blocks_.clear();
  unwind_tables_.clear();
}

void SectionMemory::Drop() {
  if (!unwind_tables_.empty()) placement_.owner->unwind_registry().Withdraw(unwind_tables_);
  if (!blocks_.empty()) placement_.owner->Free(blocks_);
  blocks_.clear();
  unwind_tables_.clear();
}

uint8_t* SectionMemory::Allocate(Segment segment, size_t size, size_t alignment,
                                 llvm::StringRef section) {
  MemoryRequest request;
  request.segment = segment;
  request.size = size;
  request.alignment = std::max<size_t>(alignment, 1);
  request.section = absl::string_view(section.data(), section.size());
  request.near = placement_.near;
  request.object = placement_.sizes;
  absl::StatusOr<MemoryBlock> block = placement_.owner->memory().Allocate(request);
  if (!block.ok()) {
    status_ = block.status();
    return nullptr;  // LLVM turns this into a fatal error, which the linker guards against.
  }
  blocks_.push_back(*block);
  // The object's other sections have to be near this one.
  if (placement_.near.is_null()) placement_.near = block->run;
  if (segment == Segment::kCode) code_bytes_ += size;
  return block->write;
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
  for (const MemoryBlock& block : blocks_) {
    if (ExecutorAddress::Of(block.write) != block.run) {
      linker.mapSectionAddress(block.write, block.run.value());
    }
  }
  for (absl::string_view symbol : symbols_) {
    addresses_.push_back(ExecutorAddress(
        linker.getSymbol(llvm::StringRef(symbol.data(), symbol.size())).getAddress()));
  }
}

void SectionMemory::registerEHFrames(uint8_t*, uint64_t run, size_t) {
  const ExecutorAddress table(run);
  placement_.owner->unwind_registry().Register(table);
  unwind_tables_.push_back(table);
}

bool SectionMemory::finalizeMemory(std::string*) {
  if (!blocks_.empty()) status_.Update(placement_.owner->memory().Finalize(blocks_));
  return !status_.ok();
}

}  // namespace firstcall
