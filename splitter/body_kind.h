// Which kind of body is made from a function's IR. Immutable.
//
// Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_KIND_H_
#define FIRSTCALL_SPLITTER_BODY_KIND_H_

#include <cstdint>
#include <variant>

#include "seam/poll_allowance.h"

namespace firstcall {

// The body is made when the function is first called, and no other body will replace it.
struct PlainBody {};

// The body is made when the function is first called, and an optimized body may replace it. Where
// possible it polls at its loops (see splitter/osr/hotness_polls.h).
struct ReplaceableBody {
  // In instructions. Polls at loops that would exceed the allowance are left out. A body with loops
  // may use one more for each kInstructionsPerPoll instructions of its own.
  int64_t poll_allowance = kUnlimitedPolls;
  // The body polls at its beginning, too.
  bool asks_when_called = false;
};

// The body replaces the first body of a hot function.
struct OptimizedBody {};

// The body is the function's OSR continuation at one of its LoopEntries.
struct ContinuationAtLoop {
  uint32_t loop;
};

using BodyKind = std::variant<PlainBody, ReplaceableBody, OptimizedBody, ContinuationAtLoop>;

// Whether a body of this kind is made because its function is hot.
inline bool IsForHotFunction(const BodyKind& kind) {
  return std::holds_alternative<OptimizedBody>(kind) ||
         std::holds_alternative<ContinuationAtLoop>(kind);
}

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_KIND_H_
