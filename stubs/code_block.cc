#include "stubs/code_block.h"

#include <cstring>

#include "base/status.h"

namespace firstcall {
namespace {

constexpr size_t kCodeAlignment = 64;
constexpr size_t kDataAlignment = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<CodeBlock>> CodeBlock::Make(
    std::shared_ptr<ArenaMemory> memory, std::shared_ptr<UnwindRegistry> unwind_registry,
    const Announce& announce, const Parts& parts) {
  std::unique_ptr<CodeBlock> block(new CodeBlock(std::move(memory), std::move(unwind_registry)));
  FIRSTCALL_RETURN_IF_ERROR(block->Fill(announce, parts));
  return block;
}

absl::Status CodeBlock::Fill(const Announce& announce, const Parts& parts) {
  const auto allocate = [&](Segment segment, size_t size, size_t alignment) {
    MemoryRequest request;
    request.segment = segment;
    request.size = size;
    request.alignment = alignment;
    request.near = memory_->near_first();
    absl::StatusOr<MemoryBlock> allocated = memory_->Allocate(request);
    if (allocated.ok()) blocks_.push_back(*allocated);
    return allocated;
  };
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock code,
                             allocate(Segment::kCode, parts.code_size, kCodeAlignment));
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock data,
                             allocate(Segment::kData, parts.data_size, kDataAlignment));
  const std::vector<uint8_t> table = parts.unwind_table(code.run, data.run);
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock unwind, allocate(Segment::kReadOnly, table.size(), 8));
  std::memcpy(unwind.write, table.data(), table.size());
  const std::vector<uint8_t> bytes = parts.code(code.run, data.run);
  std::memcpy(code.write, bytes.data(), bytes.size());
  parts.fill(code.run, data.write);
  FIRSTCALL_RETURN_IF_ERROR(memory_->Finalize(blocks_));
  code_ = code.run;
  data_ = data.write;
  unwind_table_ = {unwind.run, code.run};
  unwind_registry_->Register(unwind_table_);
  is_registered_ = true;
  if (announce) withdraw_ = announce(code_, parts.code_size, unwind.run, table);
  return absl::OkStatus();
}

CodeBlock::~CodeBlock() {
  if (withdraw_) withdraw_();
  if (is_registered_) unwind_registry_->Withdraw({unwind_table_});
  memory_->Free(blocks_);
}

}  // namespace firstcall
