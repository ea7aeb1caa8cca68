// Chooses at which loops of a function a first body polls, so that optimized code can replace the
// body while a loop runs.
//
// The choice and the cost are those of splitter/osr/hotness_polls for the same function.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_POLL_CHOICE_H_
#define FIRSTCALL_DIRECT_OSR_POLL_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "direct/osr/loop_entries.h"
#include "ir/function.h"

namespace firstcall::direct {

class PollChoice {
 public:
  // Chooses among the `entries` of the loops of `function`, if polls may take `allowance`
  // instructions in total. Loops whose header ends in a computed goto, as an interpreter's does,
  // are tried first, and then the others in the function's order, in which outer loops come before
  // inner ones. Gives up after a few loops that cannot be left or whose polls are too expensive.
  // Unimplemented if the choice depends on an unknown entry.
  absl::Status Choose(const ir::Function& function, LoopEntries& entries, size_t allowance);

  // The numbers of the chosen loops, in their order, and the instructions that their polls take.
  const std::vector<uint32_t>& chosen() const { return chosen_; }
  size_t taken() const { return taken_; }

 private:
  void FindOrder(const ir::Function& function, const LoopEntries& entries);
  // The cost of what the entry's live-ins need. Adds to `new_places_` the variables that no entry
  // before has written.
  size_t CostOf(const LoopEntry& entry, LoopEntries& entries);

  std::vector<uint32_t> order_;
  std::vector<uint32_t> chosen_;
  size_t taken_ = 0;
  std::vector<bool> is_written_;  // By variable: its address is written when the function is left.
  std::vector<uint32_t> new_places_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_POLL_CHOICE_H_
