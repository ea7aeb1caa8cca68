#include "runtime/link/hotness_counters.h"

#include <new>

#include "base/status.h"
#include "stubs/poll_entry.h"

namespace firstcall {
namespace {

// Half a page of 4 KiB.
constexpr size_t kCountersPerBlock = 2048 / sizeof(HotnessCounter);

}  // namespace

HotnessCounters::~HotnessCounters() {
  absl::MutexLock lock(&mutex_);
  memory_->Free(blocks_);
}

absl::StatusOr<HotnessCounter*> HotnessCounters::Make(
    int32_t left, HotnessCounter::Handler handler, HotnessCounter::LeavingHandler leaving_handler,
    void* owner) {
  absl::MutexLock lock(&mutex_);
  if (free_.empty()) FIRSTCALL_RETURN_IF_ERROR(AddBlock());
  HotnessCounter* counter = free_.back();
  free_.pop_back();
  counter->left.store(left, std::memory_order_relaxed);
  counter->handler.store(handler, std::memory_order_relaxed);
  counter->leaving_handler.store(leaving_handler, std::memory_order_relaxed);
  counter->entry.store(PollEntry(), std::memory_order_relaxed);
  counter->owner.store(owner, std::memory_order_release);
  return counter;
}

void HotnessCounters::Free(HotnessCounter* counter) {
  absl::MutexLock lock(&mutex_);
  free_.push_back(counter);
}

absl::Status HotnessCounters::AddBlock() {
  MemoryRequest request;
  request.segment = Segment::kData;
  request.size = kCountersPerBlock * sizeof(HotnessCounter);
  request.alignment = alignof(HotnessCounter);
  request.near = memory_->near_first();
  FIRSTCALL_ASSIGN_OR_RETURN(MemoryBlock block, memory_->Allocate(request));
  if (absl::Status status = memory_->Finalize({&block, 1}); !status.ok()) {
    memory_->Free({&block, 1});
    return status;
  }
  blocks_.push_back(block);
  // At the addresses where compiled code counts.
  auto* counters = block.run.InThisProcess<HotnessCounter*>();
  for (size_t i = kCountersPerBlock; i-- > 0;) free_.push_back(new (counters + i) HotnessCounter);
  return absl::OkStatus();
}

}  // namespace firstcall
