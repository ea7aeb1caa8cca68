// What the promotion of hot functions has done. Plain values.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_STATS_H_
#define FIRSTCALL_RUNTIME_PROMOTION_STATS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace firstcall {

// A function that counts its calls and loop iterations.
struct FunctionHotness {
  std::string module;
  std::string function;
  int tier = 0;
  uint64_t polls = 0;           // Calls and iterations in tier 0, to a multiple of the threshold.
  uint64_t polls_promoted = 0;  // The value of `polls` when the optimized body was published.
  size_t first_bytes = 0;       // Code of the baseline body's object.
  absl::Duration first_time;    // Time to split, generate and link that object.
  bool is_cached = false;       // The optimized body came from an object cache.
  size_t better_bytes = 0;
  absl::Duration better_time;
  size_t continuations = 0;
  size_t continuation_bytes = 0;
  absl::Duration continuation_time;
  uint64_t loops_entered = 0;  // Times that a running body was left for a continuation.
  size_t failures = 0;         // Optimized bodies and continuations that could not be made.
  std::string last_failure;    // The reason; empty if none failed.
};

struct PromotionStats {
  std::vector<FunctionHotness> functions;  // The hottest first.

  // A table of the functions for which an optimized body or a continuation was made or failed.
  // Then, for each function with a failure, a line with the reason. Ends with a newline, or is
  // empty.
  std::string ToString() const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_STATS_H_
