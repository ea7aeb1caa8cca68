#include "runtime/promotion/counted_calls.h"

#include <algorithm>

#include "base/status.h"

namespace firstcall {

void CountedCalls::AskAtNext() {
  std::atomic<int32_t>& left = counter_->left();
  // A counter that has run out stays so until the promoter's thread looks at it.
  if (left.load(std::memory_order_relaxed) > 0) left.store(0, std::memory_order_relaxed);
}

absl::Status CountedCalls::MakeCounter(CallCounters& memory, int32_t left) {
  if (counter_) return absl::OkStatus();
  FIRSTCALL_ASSIGN_OR_RETURN(counter_, memory.Make(left));
  first_left_ = left;
  return absl::OkStatus();
}

std::optional<int64_t> CountedCalls::TakeRunOut() {
  if (!counter_ || counter_->left().load(std::memory_order_relaxed) >= 0) return std::nullopt;
  have_been_many_ = true;
  const int64_t left = counter_->left().exchange(first_left_, std::memory_order_relaxed);
  return std::max<int64_t>(0, -left);
}

}  // namespace firstcall
