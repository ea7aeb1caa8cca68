// What promoting hot functions has come to. Plain values.

#ifndef FIRSTCALL_ENGINE_PROMOTION_STATS_H_
#define FIRSTCALL_ENGINE_PROMOTION_STATS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace firstcall {

// A function that counts its heat.
struct FunctionHeat {
  std::string module;
  std::string function;
  int tier = 0;
  uint64_t polls = 0;  // Calls and iterations counted in tier 0, to the last full interval.
  uint64_t polls_promoted = 0;  // Of those, when the better body was published.
  size_t first_bytes = 0;       // Of code, with what was compiled in the same object.
  absl::Duration first_time;    // Splitting, generating and linking that.
  size_t better_bytes = 0;
  absl::Duration better_time;
  size_t continuations = 0;
  size_t continuation_bytes = 0;
  absl::Duration continuation_time;
  uint64_t loops_entered = 0;  // Calls of a continuation: times a running body was left.
  size_t failures = 0;         // Better bodies and continuations that could not be made.
  std::string last_failure;    // Why; empty if there was none.
};

struct PromotionStats {
  std::vector<FunctionHeat> functions;  // The hottest first.

  // A table of those for which a better body or a continuation was made, or could not be, and then
  // a line with the reason for each that failed; ends with a newline, or is empty.
  std::string ToString() const;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PROMOTION_STATS_H_
