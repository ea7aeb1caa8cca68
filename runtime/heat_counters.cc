#include "runtime/heat_counters.h"

#include <new>

#include "base/status.h"

namespace firstcall {
namespace {

// Half a page of 4 KiB.
constexpr size_t kCountersPerBlock = 2048 / sizeof(HeatCounter);

}  // namespace

HeatCounters::~HeatCounters() {
  absl::MutexLock lock(&mutex_);
  memory_->Free(blocks_);
}

absl::StatusOr<HeatCounter*> HeatCounters::Make(int32_t left, HeatCounter::Handler handler,
                                                void* owner) {
  absl::MutexLock lock(&mutex_);
  if (free_.empty()) FIRSTCALL_RETURN_IF_ERROR(AddBlock());
  HeatCounter* counter = free_.back();
  free_.pop_back();
  counter->left.store(left, std::memory_order_relaxed);
  counter->handler.store(handler, std::memory_order_relaxed);
  counter->owner.store(owner, std::memory_order_release);
  return counter;
}

void HeatCounters::Free(HeatCounter* counter) {
  absl::MutexLock lock(&mutex_);
  free_.push_back(counter);
}

absl::Status HeatCounters::AddBlock() {
  MemoryRequest request;
  request.segment = Segment::kData;
  request.size = kCountersPerBlock * sizeof(HeatCounter);
  request.alignment = alignof(HeatCounter);
  request.near = memory_->near_first();
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock block, memory_->Allocate(request));
  if (absl::Status status = memory_->Finalize({&block, 1}); !status.ok()) {
    memory_->Free({&block, 1});
    return status;
  }
  blocks_.push_back(block);
  // At the addresses where compiled code counts.
  auto* counters = block.run.InThisProcess<HeatCounter*>();
  for (size_t i = kCountersPerBlock; i-- > 0;) free_.push_back(new (counters + i) HeatCounter);
  return absl::OkStatus();
}

}  // namespace firstcall
