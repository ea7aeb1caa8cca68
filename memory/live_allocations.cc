#include "memory/live_allocations.h"

#include <utility>

#include "memory/system_pages.h"

namespace firstcall {

PageMapper::AllocationId LiveAllocations::Add(ExecutorAddress slab,
                                              absl::Span<const ExecutorAction> when_deallocated) {
  absl::MutexLock lock(&mutex_);
  const AllocationId id = next_id_++;
  if (!when_deallocated.empty()) {
    allocations_.emplace(id, Live{slab, {when_deallocated.begin(), when_deallocated.end()}});
  }
  return id;
}

void LiveAllocations::Deallocate(absl::Span<const AllocationId> allocations) {
  for (size_t i = allocations.size(); i-- > 0;) {
    Live live;
    {
      absl::MutexLock lock(&mutex_);
      auto found = allocations_.find(allocations[i]);
      if (found == allocations_.end()) continue;
      live = std::move(found->second);
      allocations_.erase(found);
    }
    RunActionsInReverse(live.when_deallocated);
  }
}

void LiveAllocations::DeallocateAll(ExecutorAddress slab) {
  std::vector<AllocationId> left;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, live] : allocations_) {
      if (live.slab == slab) left.push_back(id);
    }
  }
  Deallocate(left);
}

}  // namespace firstcall
