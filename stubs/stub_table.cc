// A block is written, made known to the unwinder, and only then given out stub by stub. A slot is
// set to its lead when the block is made, so a stub works from the moment its address is known.

#include "stubs/stub_table.h"

#include <array>
#include <cstring>

#include "base/status.h"
#include "memory/instruction_cache.h"

namespace firstcall {
namespace {

// As many stubs of 2 x 16 bytes, with a tail of at most 32, as fit into a page of 4 KiB.
constexpr size_t kStubsPerBlock = 127;
constexpr size_t kCodeAlignment = 64;

}  // namespace

// The context of a block's stubs. Owners are written before the stub's address is given out.
struct StubTable::Block : ReentryContext {
  FirstCallHandler handler = nullptr;
  ExecutorAddress code;
  uint8_t* data = nullptr;
  // Atomic: the thread that calls a stub has its address from code or data, not from Make.
  std::array<std::atomic<void*>, kStubsPerBlock> owners = {};
};

StubTable::StubTable(const StubArchitecture& architecture, Arena& arena,
                     UnwindRegistry& unwind_registry, FirstCallHandler handler)
    : architecture_(architecture),
      arena_(arena),
      unwind_registry_(unwind_registry),
      handler_(handler) {}

StubTable::~StubTable() = default;

ExecutorAddress StubTable::Resolve(ReentryContext& context, uint64_t index) {
  auto& block = static_cast<Block&>(context);
  return block.handler(block.owners[index].load(std::memory_order_acquire));
}

absl::StatusOr<Stub> StubTable::Make(void* owner) {
  absl::MutexLock lock(&mutex_);
  const size_t index = size_ % kStubsPerBlock;
  if (index == 0) FIRSTCALL_RETURN_IF_ERROR(AddBlock());
  ++size_;
  Block& block = *blocks_.back();
  block.owners[index].store(owner, std::memory_order_release);
  return Stub(
      block.code + architecture_.layout.StubOffset(index),
      reinterpret_cast<std::atomic<uint64_t>*>(block.data + StubBlockLayout::SlotOffset(index)));
}

absl::Status StubTable::AddBlock() {
  const StubBlockLayout& layout = architecture_.layout;
  StubBlockPlacement placement;
  placement.count = kStubsPerBlock;
  FIRSTCALL_ASSIGN_OR_RETURN(
      ArenaBlock code,
      arena_.Allocate(Segment::kCode, layout.CodeSize(kStubsPerBlock), kCodeAlignment));
  FIRSTCALL_ASSIGN_OR_RETURN(ArenaBlock data,
                             arena_.Allocate(Segment::kData, layout.DataSize(kStubsPerBlock), 8));
  placement.code = code.run;
  placement.data = data.run;

  const std::vector<uint8_t> table = architecture_.encode_unwind_table(placement);
  FIRSTCALL_ASSIGN_OR_RETURN(ArenaBlock unwind,
                             arena_.Allocate(Segment::kReadOnly, table.size(), 8));
  std::memcpy(unwind.write, table.data(), table.size());
  const std::vector<uint8_t> bytes = architecture_.encode_block(placement);
  std::memcpy(code.write, bytes.data(), bytes.size());

  auto block = std::make_unique<Block>();
  block->resolve = &StubTable::Resolve;
  block->handler = handler_;
  block->code = code.run;
  block->data = data.write;
  auto* words = reinterpret_cast<uint64_t*>(data.write);
  words[StubBlockLayout::kContextOffset / 8] = ExecutorAddress::Of(block.get()).value();
  words[StubBlockLayout::kReentryOffset / 8] = architecture_.reentry.value();
  for (size_t i = 0; i < kStubsPerBlock; ++i) {
    words[StubBlockLayout::SlotOffset(i) / 8] =
        (code.run + layout.LeadOffset(kStubsPerBlock, i)).value();
  }
  FlushInstructions(code, bytes.size());
  SynchronizeInstructionFetch();
  unwind_registry_.Register(unwind.run);
  blocks_.push_back(std::move(block));
  return absl::OkStatus();
}

size_t StubTable::size() const {
  absl::MutexLock lock(&mutex_);
  return size_;
}

}  // namespace firstcall
