#include "stubs/call_counter.h"

#include <utility>

#include "base/status.h"

namespace firstcall {
namespace {

// Counters of 32 bytes, the largest there are, in a page of 4 KiB.
constexpr size_t kCountersPerBlock = 128;

}  // namespace

CallCounters::CallCounters(const StubArchitecture& architecture,
                           std::shared_ptr<ArenaMemory> memory,
                           std::shared_ptr<UnwindRegistry> unwind_registry)
    : architecture_(architecture),
      memory_(std::move(memory)),
      unwind_registry_(std::move(unwind_registry)) {}

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
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::unique_ptr<CodeBlock> block,
      CodeBlock::Make(
          memory_, unwind_registry_,
          {layout.CodeSize(kCountersPerBlock), CallCounterLayout::DataSize(kCountersPerBlock),
           [&](ExecutorAddress code, ExecutorAddress data) {
             return architecture_.encode_counters(placed(code, data));
           },
           [&](ExecutorAddress code, ExecutorAddress data) {
             return architecture_.encode_counter_unwind_table(placed(code, data));
           },
           [](ExecutorAddress, uint8_t*) {}}));
  for (size_t i = kCountersPerBlock; i-- > 0;) {
    uint8_t* cell = block->data() + CallCounterLayout::CellOffset(i);
    free_.push_back(CallCounter(
        block->code() + layout.CounterOffset(i), reinterpret_cast<std::atomic<uint64_t>*>(cell),
        reinterpret_cast<std::atomic<int32_t>*>(cell + CallCounterLayout::kLeftOffset)));
  }
  blocks_.push_back(std::move(block));
  return absl::OkStatus();
}

}  // namespace firstcall
