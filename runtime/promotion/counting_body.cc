#include "runtime/promotion/counting_body.h"

#include "base/steady_clock.h"

namespace firstcall {
namespace {

// A counting body runs for kLeastCounting, and longer if it has counted less than kEnoughCounts
// until then, but not for longer than kMostCounting.
constexpr absl::Duration kLeastCounting = absl::Milliseconds(5);
constexpr absl::Duration kMostCounting = absl::Milliseconds(50);
constexpr uint64_t kEnoughCounts = 5000;

}  // namespace

void CountingBody::Begin(BranchCounterBlock counters) {
  may_come_ = false;
  counters_ = counters;
  since_ = SteadyNow();
}

bool CountingBody::IsCounting(absl::Duration now) const {
  if (!counters_) return false;
  const absl::Duration time = now - since_;
  if (time < kLeastCounting) return true;
  return time < kMostCounting && counters_->Sum() < kEnoughCounts;
}

std::optional<BranchCounts> CountingBody::Counts(SymbolOrdinal function,
                                                 BranchCounterBlock::FindTarget find_target) const {
  if (!counters_) return std::nullopt;
  return counters_->Read(function, find_target);
}

}  // namespace firstcall
