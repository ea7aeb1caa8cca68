// Predicts what it costs to optimize a function and what that returns, and keeps the books: what
// was predicted, and what came.
//
// The cost is processor time of LLVM. It is predicted from the size of the first body, and
// corrected by what the optimizations of this run have taken. The return is what the program saves:
// a function is expected to go on for one and a half times as long as it has run, and its optimized
// body to take a fraction of that time.
//
// If the process has a processor to spare, an optimization costs the program nothing, except for
// the first one. If not, the program stands still meanwhile.
//
// Thread-compatible: the promoter's lock guards it. Tested in
// tests/runtime/promotion_books_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_BOOKS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_BOOKS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "runtime/promotion/first_body.h"
#include "seam/promotion_stats.h"

namespace firstcall {

class PromotionBooks {
 public:
  // If gains are not weighed, all that is hot pays.
  explicit PromotionBooks(bool weighs_gains) { totals_.weighs_gains = weighs_gains; }

  // Forgets everything but that, and how many processors there are.
  void BeginAnew();

  // How many processors the process may use; more than 0. One until this is called.
  void SetProcessors(double processors) { totals_.processors = processors; }

  // --- The time of first bodies ---

  // Notes that in the last `elapsed` the program has used processors for `time`, while first bodies
  // did `work` (FirstBody::TakeWork) altogether.
  void NoteProgram(absl::Duration elapsed, absl::Duration time, uint64_t work);
  // The processor time of `work`, a part of what was last noted. At most its share of the program's
  // time: the rest may have gone into optimized bodies and into libraries.
  absl::Duration TimeOf(uint64_t work) const;

  // --- Predictions ---

  // The processor time that optimizing the function of `body` will take.
  absl::Duration CostOf(const FirstBody& body) const;
  // The processor time that the program will save.
  absl::Duration GainOf(const FirstBody& body) const;
  // Whether the gain is worth the cost: always if gains are not weighed.
  bool Pays(const FirstBody& body) const;
  // A loop that has run for so long, callees included, pays, however few its iterations are.
  absl::Duration LongestActivity(const FirstBody& body) const;

  // --- The books ---

  struct Prediction {
    absl::Duration cost;
    absl::Duration gain;
  };
  Prediction Predict(const FirstBody& body) const { return {CostOf(body), GainOf(body)}; }

  // Notes that the function of `body`, of which `predicted` had been predicted, was optimized,
  // which took `time` of a processor.
  void NoteOptimization(const FirstBody& body, const Prediction& predicted, absl::Duration time);
  // Notes that something else for an optimization, such as a counting body, or an optimization that
  // has failed, has taken `time` of a processor.
  void NoteOtherWork(absl::Duration time) { totals_.time += time; }
  const PromotionTotals& totals() const { return totals_; }

 private:
  // Whether the program leaves a processor to optimization.
  bool HasSpare() const;
  // What part of an optimization's cost the program pays.
  double PartOfCost() const;

  PromotionTotals totals_;
  // Of the program, while nothing was optimized: the time that it has used, and the work.
  absl::Duration measured_time_;
  uint64_t measured_work_ = 0;
  // What was last noted.
  absl::Duration last_time_;
  uint64_t last_work_ = 0;
  double load_ = 1;  // How many processors the program uses.
  // Of all optimizations but the first: what they should take by their size alone, and what they
  // have taken.
  absl::Duration costs_by_size_;
  absl::Duration costs_that_came_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_PROMOTION_BOOKS_H_
