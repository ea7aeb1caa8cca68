#include "memory/object_memory.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/populate.h"
#include "base/round_up.h"
#include "base/status.h"
#include "memory/unwindable_code.h"

namespace firstcall {
namespace {

MemoryRequest RequestFor(Segment segment, size_t size, size_t alignment,
                         absl::string_view section) {
  MemoryRequest request;
  request.segment = segment;
  request.size = size;
  request.alignment = std::max<size_t>(alignment, 1);
  request.section = section;
  return request;
}

}  // namespace

ObjectMemory::~ObjectMemory() { Drop(); }

void ObjectMemory::Begin(const Placement& placement) {
  Drop();
  placement_ = placement;
  code_block_ = {};
  code_block_used_ = 0;
  code_bytes_ = 0;
}

absl::Status ObjectMemory::Finalize() {
  return blocks_.empty() ? absl::OkStatus() : placement_.owner->memory().Finalize(blocks_);
}

void ObjectMemory::Keep() {
  if (!blocks_.empty()) placement_.owner->Add(blocks_, unwind_tables_);
  Forget();
}

void ObjectMemory::Drop() {
  if (!unwind_tables_.empty()) placement_.owner->unwind_registry().Withdraw(unwind_tables_);
  if (!blocks_.empty()) placement_.owner->Free(blocks_);
  Forget();
}

void ObjectMemory::Forget() {
  blocks_.clear();
  sections_.clear();
  unwind_tables_.clear();
}

// The unwinder finds no function that begins at a multiple of 4 GiB, but a client's memory may
// provide a block of code there. While that block is held, the next one lies elsewhere.
absl::StatusOr<MemoryBlock> ObjectMemory::AllocateUnwindable(const MemoryRequest& request) {
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

absl::StatusOr<MemoryBlock> ObjectMemory::AllocateBlock(Segment segment, size_t size,
                                                        size_t alignment,
                                                        absl::string_view section) {
  MemoryRequest request = RequestFor(segment, size, alignment, section);
  request.near = placement_.near;
  request.object = placement_.sizes;
  FIRSTCALL_ASSIGN_OR_RETURN(const MemoryBlock block, AllocateUnwindable(request));
  blocks_.push_back(block);
  if (!placement_.near.is_null() && std::abs(block.run - placement_.near) >= kReach) {
    return absl::ResourceExhaustedError(
        absl::StrCat("code memory: what was provided for section '", section,
                     "' is out of reach of the rest of its object"));
  }
  // The object's other sections must be near this one.
  if (placement_.near.is_null()) placement_.near = block.run;
  if (segment == Segment::kCode) code_block_ = block;
  return block;
}

absl::StatusOr<MemoryBlock> ObjectMemory::AllocateInCodeBlock(size_t size, size_t alignment,
                                                              absl::string_view section) {
  // At most a page: a larger alignment would waste memory, and no code needs it.
  constexpr size_t kBlockAlignment = 4096;
  if (code_block_.write == nullptr) {
    FIRSTCALL_RETURN_IF_ERROR(
        AllocateBlock(Segment::kCode, placement_.sizes.code, kBlockAlignment, section).status());
  }
  alignment = std::max<size_t>(alignment, 1);
  const size_t begin = RoundUp(code_block_used_, alignment);
  if (begin + size > code_block_.size || alignment > kBlockAlignment) {
    return absl::ResourceExhaustedError(
        absl::StrCat("code memory: ", size, " bytes of code, aligned to ", alignment,
                     ", do not fit in what was provided for an object"));
  }
  code_block_used_ = begin + size;
  return MemoryBlock{code_block_.write + begin, code_block_.run + begin, size, Segment::kCode};
}

absl::StatusOr<MemoryBlock> ObjectMemory::Allocate(Segment segment, size_t size, size_t alignment,
                                                   absl::string_view section) {
  const bool is_code = segment == Segment::kCode;
  FIRSTCALL_ASSIGN_OR_RETURN(const MemoryBlock block,
                             is_code&& placement_.has_several_code_sections
                                 ? AllocateInCodeBlock(size, alignment, section)
                                 : AllocateBlock(segment, size, alignment, section));
  // Of data, most may be zeros that are never used.
  if (segment != Segment::kData) PopulateForWriting(block.write, size);
  sections_.push_back(block);
  if (is_code) code_bytes_ += size;
  return block;
}

absl::StatusOr<MemoryBlock> ObjectMemory::AllocateAnywhere(Segment segment, size_t size,
                                                           size_t alignment,
                                                           absl::string_view section) {
  MemoryRequest request = RequestFor(segment, size, alignment, section);
  (segment == Segment::kData ? request.object.data : request.object.read_only) =
      size + request.alignment;
  FIRSTCALL_ASSIGN_OR_RETURN(const MemoryBlock block, placement_.owner->memory().Allocate(request));
  blocks_.push_back(block);
  if (segment != Segment::kData) PopulateForWriting(block.write, size);
  sections_.push_back(block);
  return block;
}

void ObjectMemory::RegisterUnwindTable(ExecutorAddress run) {
  if (code_block_.write == nullptr) return;
  const UnwindTable table{run, code_block_.run};
  placement_.owner->unwind_registry().Register(table);
  unwind_tables_.push_back(table);
}

}  // namespace firstcall
