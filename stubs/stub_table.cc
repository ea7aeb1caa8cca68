// A block is written and made known to the unwinder before any of its stubs is given out. A slot is
// set to its lead when the block is made, so a stub works as soon as its address is known.

#include "stubs/stub_table.h"

#include <array>
#include <utility>

#include "base/status.h"
#include "stubs/code_block.h"

namespace firstcall {
namespace {

// As many stubs as fit into a page of 4 KiB: a stub and its lead have 2 x 16 bytes, the tail at
// most 32.
constexpr size_t kStubsPerBlock = 127;

}  // namespace

// The context of a block's stubs. A stub's owner is written before the stub's address is given out.
struct StubTable::Block : ReentryContext {
  FirstCallHandler handler = nullptr;
  std::unique_ptr<CodeBlock> code_block;
  // Atomic: the thread that calls a stub got its address from code or data, not from Make.
  std::array<std::atomic<void*>, kStubsPerBlock> owners = {};
};

StubTable::StubTable(const StubArchitecture& architecture, std::shared_ptr<ArenaMemory> memory,
                     std::shared_ptr<UnwindRegistry> unwind_registry, FirstCallHandler handler,
                     CodeBlock::Announce announce)
    : architecture_(architecture),
      memory_(std::move(memory)),
      unwind_registry_(std::move(unwind_registry)),
      handler_(handler),
      announce_(std::move(announce)) {}

StubTable::~StubTable() = default;

ExecutorAddress StubTable::Resolve(ReentryContext& context, uint64_t index) {
  auto& block = static_cast<Block&>(context);
  return block.handler(block.owners[index]);
}

absl::StatusOr<Stub> StubTable::Make(void* owner) {
  absl::MutexLock lock(&mutex_);
  if (std::optional<Stub> stub = TakeRetired()) {
    stub->SetOwner(owner);
    return *stub;
  }
  const size_t index = made_ % kStubsPerBlock;
  if (index == 0) FIRSTCALL_RETURN_IF_ERROR(AddBlock());
  ++made_;
  Block& block = *blocks_.back();
  block.owners[index].store(owner, std::memory_order_release);
  const CodeBlock& placed = *block.code_block;
  return Stub(
      placed.code() + architecture_.layout.StubOffset(index),
      reinterpret_cast<std::atomic<uint64_t>*>(placed.data() + StubBlockLayout::SlotOffset(index)),
      placed.code() + architecture_.layout.LeadOffset(kStubsPerBlock, index), &block.owners[index]);
}

void StubTable::Retire(const Stub& stub, std::shared_ptr<void> last_owner) {
  absl::MutexLock lock(&mutex_);
  stub.SetOwner(last_owner.get());
  stub.Publish(stub.lead_);
  retired_.push_back({stub, std::move(last_owner)});
}

void StubTable::Redirect(const Stub& stub, std::shared_ptr<void> last_owner, ExecutorAddress body) {
  absl::MutexLock lock(&mutex_);
  stub.SetOwner(last_owner.get());
  stub.Publish(body);
  owners_of_redirected_.push_back(std::move(last_owner));
}

std::optional<Stub> StubTable::TakeRetired() {
  if (retired_.size() <= kKeptRetired) return std::nullopt;
  const Stub stub = retired_.front().stub;
  retired_.pop_front();
  return stub;
}

absl::Status StubTable::AddBlock() {
  const StubBlockLayout& layout = architecture_.layout;
  auto block = std::make_unique<Block>();
  block->resolve = &StubTable::Resolve;
  block->handler = handler_;
  const auto placed = [](ExecutorAddress code, ExecutorAddress data) {
    return StubBlockPlacement{code, data, kStubsPerBlock};
  };
  FIRSTCALL_ASSIGN_OR_RETURN(
      block->code_block,
      CodeBlock::Make(memory_, unwind_registry_, announce_,
                      {layout.CodeSize(kStubsPerBlock), StubBlockLayout::DataSize(kStubsPerBlock),
                       [&](ExecutorAddress code, ExecutorAddress data) {
                         return architecture_.encode_block(placed(code, data));
                       },
                       [&](ExecutorAddress code, ExecutorAddress data) {
                         return architecture_.encode_unwind_table(placed(code, data));
                       },
                       [&](ExecutorAddress code, uint8_t* data) {
                         architecture_.WriteContextAndReentry(*block, data);
                         auto* words = reinterpret_cast<uint64_t*>(data);
                         for (size_t i = 0; i < kStubsPerBlock; ++i) {
                           words[StubBlockLayout::SlotOffset(i) / 8] =
                               (code + layout.LeadOffset(kStubsPerBlock, i)).value();
                         }
                       }}));
  blocks_.push_back(std::move(block));
  return absl::OkStatus();
}

size_t StubTable::size() const {
  absl::MutexLock lock(&mutex_);
  return made_ - retired_.size();
}

}  // namespace firstcall
