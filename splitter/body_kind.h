// Which kind of body is made from a function's IR. Immutable.
//
// Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_KIND_H_
#define FIRSTCALL_SPLITTER_BODY_KIND_H_

#include <cstdint>
#include <functional>
#include <variant>

#include "seam/poll_allowance.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

struct LoopEntry;  // splitter/osr/loop_entries.h

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
  // If the baseline code generator makes the body, it polls in machine code, in all loops; only if
  // LLVM makes it, it polls in IR (FunctionModule::ir_polls).
  bool polls_in_code = false;
};

// The body replaces the first body of a hot function.
struct OptimizedBody {};

// The body is the function's OSR continuation at one of its LoopEntries.
struct ContinuationAtLoop {
  uint32_t loop;
  // If this is not empty: called with the function, as it was read, and its entry at the loop.
  std::function<void(llvm::Function& function, const LoopEntry& entry)> on_entry = nullptr;
};

using BodyKind = std::variant<PlainBody, ReplaceableBody, OptimizedBody, ContinuationAtLoop>;

// Whether a body of this kind is made because its function is hot.
inline bool IsForHotFunction(const BodyKind& kind) {
  return std::holds_alternative<OptimizedBody>(kind) ||
         std::holds_alternative<ContinuationAtLoop>(kind);
}

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_KIND_H_
