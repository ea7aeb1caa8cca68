// The counters of a counting body, in the memory of its module.
//
// Compiled code increments them without atomic instructions, while other threads read them here.
// Copyable; valid as long as the module's code. Tested in tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_RUNTIME_BRANCH_COUNTER_BLOCK_H_
#define FIRSTCALL_RUNTIME_BRANCH_COUNTER_BLOCK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"
#include "code/branch_counts.h"
#include "memory/executor_address.h"

namespace firstcall {

class BranchCounterBlock {
 public:
  BranchCounterBlock() = default;
  // The counters lie at `address`, in this process.
  BranchCounterBlock(BranchCounters counters, ExecutorAddress address)
      : counters_(counters), words_(address.InThisProcess<const std::atomic<uint64_t>*>()) {}

  // The sum of all counters.
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (size_t i = 0; i < counters_.count; ++i) sum += words_[i].load(std::memory_order_relaxed);
    return sum;
  }

  // What has been counted so far, as that of `function`.
  BranchCounts Read(SymbolOrdinal function) const {
    BranchCounts counts;
    counts.function = function;
    counts.shape = counters_.shape;
    counts.counts.reserve(counters_.count);
    for (size_t i = 0; i < counters_.count; ++i) {
      counts.counts.push_back(words_[i].load(std::memory_order_relaxed));
    }
    return counts;
  }

 private:
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));

  BranchCounters counters_;
  const std::atomic<uint64_t>* words_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_BRANCH_COUNTER_BLOCK_H_
