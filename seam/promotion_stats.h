// Statistics of the promotion of hot functions. Plain values.

#ifndef FIRSTCALL_SEAM_PROMOTION_STATS_H_
#define FIRSTCALL_SEAM_PROMOTION_STATS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace firstcall {

// How an optimized body or a continuation came about, or did not.
struct PromotionStep {
  bool is_continuation = false;
  absl::Duration hot;    // When the function asked for it, since the engine was made.
  absl::Duration begun;  // When a thread began to make it.
  absl::Duration ready;  // When it was published, or had failed.
  // The parts of the time between `begun` and `ready`.
  absl::Duration extract;
  absl::Duration optimize;
  absl::Duration emit;
  absl::Duration link;
  size_t code_bytes = 0;
  size_t imported = 0;               // Callees whose bodies could be inlined; 0 if it was cached.
  size_t facts = 0;                  // See CompiledObject; 0 if it was cached.
  std::vector<std::string> inlined;  // See CompiledObject.
  bool is_cached = false;            // It came from an object cache.
  uint64_t counts = 0;  // What the function's counting body has counted; 0 if there was none.
  // Processor time: what the thread has used to make it; what that was predicted to be; and what
  // the program was expected to save.
  absl::Duration time;
  absl::Duration predicted_cost;
  absl::Duration predicted_gain;
  std::string failure;   // Why the code could not be made; empty if it was made.
  bool is_kept = false;  // That is no failure: the loop cannot be left.
};

// A function that counts its calls and loop iterations.
struct FunctionHotness {
  std::string module;
  std::string function;
  int tier = 0;
  uint64_t polls = 0;           // Calls and iterations in tier 0, to a multiple of the threshold.
  uint64_t polls_promoted = 0;  // The value of `polls` when the optimized body was published.
  size_t first_bytes = 0;       // Code of the first body's object.
  absl::Duration first_time;    // Time to split, generate and link that object.
  bool is_cached = false;       // The optimized body came from an object cache.
  size_t optimized_bytes = 0;   // Code of the optimized body's object.
  absl::Duration optimized_time;
  size_t continuations = 0;
  size_t continuation_bytes = 0;
  absl::Duration continuation_time;
  uint64_t loops_entered = 0;  // Times that a running body was left for a continuation.
  size_t failures = 0;         // Optimized bodies and continuations that could not be made.
  std::string last_failure;    // The reason; empty if none failed.
  // Loops that were hot while they ran, and cannot be left for a continuation; and the reason of
  // the last one.
  size_t loops_kept = 0;
  std::string last_kept;
  // The function's loops have no polls, so while one of them runs, nothing replaces the body.
  bool has_loops_without_polls = false;
  std::vector<PromotionStep> steps;  // In their order.
};

// The books of all optimizations. Durations are processor time.
struct PromotionTotals {
  bool weighs_gains = false;  // See PromotionOptions::weighs_gains.
  double processors = 1;      // That the process may use.
  // Optimized bodies and continuations that were compiled in this run.
  size_t optimizations = 0;
  absl::Duration time;            // What they have taken, counting bodies included.
  absl::Duration predicted_cost;  // What they were predicted to take.
  absl::Duration predicted_gain;  // What the program was expected to save.
  // Hot functions that were not optimized, because that would not have paid.
  size_t put_off = 0;
};

struct PromotionStats {
  PromotionTotals totals;
  std::vector<FunctionHotness> functions;  // The hottest first.

  // The totals, in a line, if gains were weighed and there is something to tell. Then a table of
  // the functions for which an optimized body or a continuation was made or failed. Then, for each
  // function with a failure, or with a loop that cannot be left, a line with the reason. Then a
  // table of all steps, in the order in which they were begun. Ends with a newline, or is empty.
  std::string ToString() const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_PROMOTION_STATS_H_
