// The counting body of one hot function: whether the function has got one, and what it has counted.
//
// A function gets at most one counting body. Thread-compatible; the counting body counts meanwhile.
// Tested in tests/runtime/counting_body_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODY_H_
#define FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODY_H_

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "base/ids.h"
#include "runtime/promotion/branch_counter_block.h"
#include "seam/branch_counts.h"

namespace firstcall {

class CountingBody {
 public:
  // Whether the function may still get a counting body: neither Begin nor DoWithout was called.
  bool may_come() const { return may_come_; }

  // From now on the function has a counting body, which counts in `counters`.
  void Begin(BranchCounterBlock counters);
  // If the function has no counting body yet, it gets none.
  void DoWithout() { may_come_ = false; }

  // Whether there is a counting body that, at the time `now` (as SteadyNow), has not run for long
  // enough yet.
  bool IsCounting(absl::Duration now) const;

  // What has been counted so far, as counts of `function`; nullopt if there is no counting body.
  std::optional<BranchCounts> Counts(SymbolOrdinal function,
                                     BranchCounterBlock::FindTarget find_target) const;
  // The sum of what has been counted so far; 0 if there is no counting body.
  uint64_t Sum() const { return counters_ ? counters_->Sum() : 0; }

 private:
  bool may_come_ = true;
  std::optional<BranchCounterBlock> counters_;
  absl::Duration since_;  // As SteadyNow.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODY_H_
