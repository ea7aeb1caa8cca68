#include "memory/section_memory.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "memory/unwindable_code.h"

namespace firstcall {

SectionMemory::~SectionMemory() { Drop(); }

void SectionMemory::BeginObject(absl::Span<const absl::string_view> symbols,
                                const Placement& placement) {
  Drop();
  placement_ = placement;
  symbols_ = symbols;
  addresses_.clear();
  code_block_ = {};
  code_block_used_ = 0;
  code_bytes_ = 0;
  status_ = absl::OkStatus();
}

absl::Status SectionMemory::Finalize() {
  return blocks_.empty() ? absl::OkStatus() : placement_.owner->memory().Finalize(blocks_);
}

void SectionMemory::Keep() {
  placement_.owner->Add(blocks_, unwind_tables_);
  blocks_.clear();
  sections_.clear();
  unwind_tables_.clear();
}

void SectionMemory::Drop() {
  if (!unwind_tables_.empty()) placement_.owner->unwind_registry().Withdraw(unwind_tables_);
  if (!blocks_.empty()) placement_.owner->Free(blocks_);
  blocks_.clear();
  sections_.clear();
  unwind_tables_.clear();
}

// The unwinder finds no function that begins at a multiple of 4 GiB, but a client's memory may
// provide a block of code there. While that block is held, the next one lies elsewhere.
absl::StatusOr<MemoryBlock> SectionMemory::AllocateUnwindable(const MemoryRequest& request) {
  const auto is_unwindable = [&](const MemoryBlock& block) {
    return request.segment != Segment::kCode || !HasUnwinderNull(block.run, request.size);
  };
  auto& memory = placement_.owner->memory();
  absl::StatusOr<MemoryBlock> block = memory.Allocate(request);
  if (!block.ok() || is_unwindable(*block)) return block;
  absl::StatusOr<MemoryBlock> other = memory.Allocate(request);
  placement_.owner->Free({*block});
  if (!other.ok() || is_unwindable(*other)) return other;
  placement_.owner->Free({*other});
  return absl::ResourceExhaustedError(
      absl::StrCat("code memory: what was provided for section '", request.section,
                   "' lies around a multiple of 4 GiB, where the unwinder finds no code"));
}

// Nothing if the allocation failed; status_ has the reason.
std::optional<MemoryBlock> SectionMemory::AllocateBlock(Segment segment, size_t size,
                                                        size_t alignment, llvm::StringRef section) {
  MemoryRequest request;
  request.segment = segment;
  request.size = size;
  request.alignment = std::max<size_t>(alignment, 1);
  request.section = absl::string_view(section.data(), section.size());
  request.near = placement_.near;
  request.object = placement_.sizes;
  absl::StatusOr<MemoryBlock> block = AllocateUnwindable(request);
  if (!block.ok()) {
    status_ = block.status();
    return std::nullopt;
  }
  blocks_.push_back(*block);
  if (!placement_.near.is_null() && std::abs(block->run - placement_.near) >= kReach) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("code memory: what was provided for section '", request.section,
                     "' is out of reach of the rest of its object"));
    return std::nullopt;
  }
  // The object's other sections must be near this one.
  if (placement_.near.is_null()) placement_.near = block->run;
  if (segment == Segment::kCode) code_block_ = *block;
  return *block;
}

// LLVM turns a null result into a fatal error, which the linker guards against.
uint8_t* SectionMemory::Allocate(Segment segment, size_t size, size_t alignment,
                                 llvm::StringRef section) {
  const std::optional<MemoryBlock> block = AllocateBlock(segment, size, alignment, section);
  if (!block) return nullptr;
  sections_.push_back(*block);
  if (segment == Segment::kCode) code_bytes_ += size;
  return block->write;
}

uint8_t* SectionMemory::AllocateInCodeBlock(size_t size, size_t alignment,
                                            llvm::StringRef section) {
  // At most a page: a larger alignment would waste memory, and no code needs it.
  constexpr size_t kBlockAlignment = 4096;
  if (code_block_.write == nullptr &&
      !AllocateBlock(Segment::kCode, placement_.sizes.code, kBlockAlignment, section)) {
    return nullptr;
  }
  alignment = std::max<size_t>(alignment, 1);
  const size_t begin = (code_block_used_ + alignment - 1) & ~(alignment - 1);
  if (begin + size > code_block_.size || alignment > kBlockAlignment) {
    status_ = absl::ResourceExhaustedError(
        absl::StrCat("code memory: ", size, " bytes of code, aligned to ", alignment,
                     ", do not fit in what was provided for an object"));
    return nullptr;
  }
  code_block_used_ = begin + size;
  code_bytes_ += size;
  sections_.push_back({code_block_.write + begin, code_block_.run + begin, size, Segment::kCode});
  return sections_.back().write;
}

uint8_t* SectionMemory::allocateCodeSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef name) {
  return placement_.has_several_code_sections ? AllocateInCodeBlock(size, alignment, name)
                                              : Allocate(Segment::kCode, size, alignment, name);
}

uint8_t* SectionMemory::allocateDataSection(uintptr_t size, unsigned alignment, unsigned,
                                            llvm::StringRef name, bool is_read_only) {
  return Allocate(is_read_only ? Segment::kReadOnly : Segment::kData, size, alignment, name);
}

void SectionMemory::notifyObjectLoaded(llvm::RuntimeDyld& linker, const llvm::object::ObjectFile&) {
  for (const MemoryBlock& section : sections_) {
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
  for (const MemoryBlock& section : sections_) {
    if (section.run == run) return section.write;
  }
  return nullptr;
}

void SectionMemory::registerEHFrames(uint8_t*, uint64_t run, size_t) {
  if (code_block_.write == nullptr) return;  // Without code, the table describes nothing.
  const UnwindTable table{ExecutorAddress(run), code_block_.run};
  placement_.owner->unwind_registry().Register(table);
  unwind_tables_.push_back(table);
}

}  // namespace firstcall
