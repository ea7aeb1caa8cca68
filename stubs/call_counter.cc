#include "stubs/call_counter.h"

#include <utility>

#include "base/status.h"
#include "stubs/code_block.h"

namespace firstcall {
namespace {

// As many counters as fit into a page of 4 KiB, if a counter has 40 bytes (the maximum) and the
// tail 32.
constexpr size_t kCountersPerBlock = 101;

}  // namespace

// The context of a block's counters. `code_block` is set before the address of any of them is given
// out.
struct CallCounters::Block : ReentryContext {
  const CallCounters* counters = nullptr;
  std::unique_ptr<CodeBlock> code_block;
};

CallCounters::CallCounters(const StubArchitecture& architecture,
                           std::shared_ptr<ArenaMemory> memory,
                           std::shared_ptr<UnwindRegistry> unwind_registry, RunOutHandler handler,
                           CodeBlock::Announce announce)
    : architecture_(architecture),
      memory_(std::move(memory)),
      unwind_registry_(std::move(unwind_registry)),
      handler_(std::move(handler)),
      announce_(std::move(announce)) {}

CallCounters::~CallCounters() = default;

ExecutorAddress CallCounters::Resolve(ReentryContext& context, uint64_t index) {
  const auto& block = static_cast<const Block&>(context);
  const CallCounter counter = block.counters->CounterOf(block, index);
  if (block.counters->handler_) block.counters->handler_(counter);
  return ExecutorAddress(counter.target_->load(std::memory_order_acquire));
}

CallCounter CallCounters::CounterOf(const Block& block, size_t index) const {
  const CodeBlock& placed = *block.code_block;
  uint8_t* cell = placed.data() + CallCounterLayout::CellOffset(index);
  return CallCounter(
      placed.code() + architecture_.counter_layout.CounterOffset(index),
      reinterpret_cast<std::atomic<uint64_t>*>(cell),
      reinterpret_cast<std::atomic<int32_t>*>(cell + CallCounterLayout::kLeftOffset));
}

absl::StatusOr<CallCounter> CallCounters::Make(int32_t left) {
  absl::MutexLock lock(&mutex_);
  if (free_.empty()) FIRSTCALL_RETURN_IF_ERROR(AddBlock());
  const CallCounter counter = free_.back();
  free_.pop_back();
  counter.left_->store(left, std::memory_order_relaxed);
  return counter;
}

void CallCounters::Free(const CallCounter& counter) {
  absl::MutexLock lock(&mutex_);
  free_.push_back(counter);
}

absl::Status CallCounters::AddBlock() {
  const auto placed = [](ExecutorAddress code, ExecutorAddress data) {
    return StubBlockPlacement{code, data, kCountersPerBlock};
  };
  const CallCounterLayout& layout = architecture_.counter_layout;
  auto block = std::make_unique<Block>();
  block->resolve = &CallCounters::Resolve;
  block->counters = this;
  FIRSTCALL_ASSIGN_OR_RETURN(
      block->code_block,
      CodeBlock::Make(
          memory_, unwind_registry_, announce_,
          {layout.CodeSize(kCountersPerBlock), CallCounterLayout::DataSize(kCountersPerBlock),
           [&](ExecutorAddress code, ExecutorAddress data) {
             return architecture_.encode_counters(placed(code, data));
           },
           [&](ExecutorAddress code, ExecutorAddress data) {
             return architecture_.encode_counter_unwind_table(placed(code, data));
           },
           [&](ExecutorAddress, uint8_t* data) {
             architecture_.WriteContextAndReentry(*block, data);
           }}));
  for (size_t i = kCountersPerBlock; i-- > 0;) free_.push_back(CounterOf(*block, i));
  blocks_.push_back(std::move(block));
  return absl::OkStatus();
}

}  // namespace firstcall
