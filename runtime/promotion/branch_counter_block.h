// The counters of a counting body, of branches and of indirect calls, in the memory of its module.
//
// Compiled code increments them without atomic instructions, while other threads read them here.
// Thread-safe; copyable; valid as long as the module's code. Tested in
// tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_BRANCH_COUNTER_BLOCK_H_
#define FIRSTCALL_RUNTIME_PROMOTION_BRANCH_COUNTER_BLOCK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/ids.h"
#include "memory/executor_address.h"
#include "seam/branch_counts.h"

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
    for (size_t i = 0; i < counters_.count; ++i) sum += Word(i);
    return sum;
  }

  // The function of the counting body's module that has its stub or its final body at an address,
  // without a count; nullopt if there is none.
  using FindTarget = absl::FunctionRef<std::optional<CallTarget>(ExecutorAddress)>;

  // Returns what has been counted so far, as counts of `function`.
  BranchCounts Read(SymbolOrdinal function, FindTarget find_target) const {
    BranchCounts counts;
    counts.function = function;
    counts.shape = counters_.shape;
    counts.counts.reserve(counters_.count);
    for (size_t i = 0; i < counters_.count; ++i) {
      counts.counts.push_back(Word(i));
    }
    for (size_t i = 0; i < counters_.calls; ++i) {
      counts.calls.push_back(ReadCall(counters_.count + kWordsOfCall * i, find_target));
    }
    return counts;
  }

 private:
  uint64_t Word(size_t index) const { return words_[index].load(std::memory_order_relaxed); }

  // Each call of a function that was no candidate has subtracted 1 from the count of every
  // candidate (see kCandidatesOfCall). Adds these subtractions back.
  CallCounts ReadCall(size_t place, FindTarget find_target) const {
    CallCounts call;
    call.count = Word(place);
    uint64_t numbers = 0;
    for (size_t i = 0; i < kCandidatesOfCall; ++i) numbers += Word(place + 2 + 2 * i);
    const uint64_t taken =
        call.count > numbers ? (call.count - numbers) / (kCandidatesOfCall + 1) : 0;
    for (size_t i = 0; i < kCandidatesOfCall; ++i) {
      const uint64_t number = Word(place + 2 + 2 * i);
      if (number == 0) continue;
      std::optional<CallTarget> target = find_target(ExecutorAddress(Word(place + 1 + 2 * i)));
      if (!target) continue;
      target->count = number + taken;
      Add(*target, call.targets);
    }
    return call;
  }

  // A function may be among the targets twice: by its stub and by its final body, or because of a
  // race.
  static void Add(const CallTarget& target, std::vector<CallTarget>& targets) {
    for (CallTarget& known : targets) {
      if (known.function != target.function) continue;
      known.count += target.count;
      return;
    }
    targets.push_back(target);
  }

  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));

  BranchCounters counters_;
  const std::atomic<uint64_t>* words_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_BRANCH_COUNTER_BLOCK_H_
