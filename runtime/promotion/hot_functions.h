// All functions of an engine whose first bodies count.
//
// Thread-compatible. A function that is asking may use its HotFunction at the same time. Tested in
// tests/runtime/hot_functions_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTIONS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTIONS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "runtime/link/function_table.h"
#include "runtime/link/source_module.h"
#include "runtime/promotion/branch_counter_block.h"
#include "runtime/promotion/hot_function.h"
#include "runtime/promotion/promotion_books.h"
#include "runtime/promotion/waiting_list.h"
#include "seam/branch_counts.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class HotFunctions {
 public:
  // See HotFunction.
  HotFunctions(Promoter* promoter, int32_t interval) : promoter_(promoter), interval_(interval) {}

  // Returns the function of `key`; makes it if there is none.
  HotFunction& Get(FunctionKey key);
  // Returns the function of `key`; null if there is none.
  const HotFunction* Find(FunctionKey key) const;

  // What has passed since the last look at the counters.
  struct Since {
    absl::Duration elapsed;
    absl::Duration active;  // Of `elapsed`, when a counter that has changed may have done so.
    absl::Duration time;    // Of processors, which the program has used.
  };

  // Looks at all counters. Tells `books` about the time that has passed, and each first body what
  // it has taken of that. Puts the functions that have begun to ask on `waiting`. Returns whether
  // there are any.
  bool LookAtCounters(const Since& since, PromotionBooks& books, WaitingList& waiting);

  // The function that has been called most often among those that are worth idle time, and whose
  // optimization pays; null if there is none.
  HotFunction* FindForIdleTime(const PromotionBooks& books);

  // To be called when threads begin to look: a forked child forgets what functions have taken of
  // its parent's time.
  void ForgetTimes();

  // From now on polls of all functions, or of those of `module`, do not use a HotFunction.
  void TurnAwayPolls();
  void TurnAwayPolls(const SourceModule& module);

  // Removes and returns the functions of `module`.
  std::vector<std::unique_ptr<HotFunction>> Take(const SourceModule& module);

  // What counting bodies of functions of `module` have counted so far.
  std::vector<BranchCounts> CountsOf(const SourceModule& module,
                                     BranchCounterBlock::FindTarget find_target) const;

  PromotionStats Collect() const;

 private:
  void NoteActivity(absl::Duration elapsed);
  void NoteTimes(const Since& since, PromotionBooks& books);

  Promoter* const promoter_;
  const int32_t interval_;
  absl::flat_hash_map<FunctionKey, std::unique_ptr<HotFunction>> functions_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_HOT_FUNCTIONS_H_
