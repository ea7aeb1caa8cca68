// OSR entries: the beginnings of a function's loop iterations, where a running call can continue in
// another body, and the live-ins there.
//
// The body that continues is made by LLVM from the same function, so the entries must be exactly
// those of splitter/osr/loop_entries: the same loops with the same numbers, and the same live-ins
// in the same order. Where ir/ does not say enough for that, an entry is unknown.
//
// Thread-compatible: use one object for each compiling thread. Reuse the object, because it keeps
// its memory from function to function.

#ifndef FIRSTCALL_DIRECT_OSR_LOOP_ENTRIES_H_
#define FIRSTCALL_DIRECT_OSR_LOOP_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "direct/osr/block_graph.h"
#include "direct/osr/block_search.h"
#include "direct/osr/frame_needs.h"
#include "direct/osr/labels.h"
#include "direct/osr/live_values.h"
#include "direct/osr/named_variables.h"
#include "direct/osr/user_lists.h"
#include "direct/osr/variable_liveness.h"
#include "ir/function.h"
#include "ir/type.h"

namespace firstcall::direct {

// An OSR entry: the beginning of `block`, after its phis. The live-ins, which are all that the code
// from there on may use, are passed in memory.
struct LoopEntry {
  struct Variable {
    uint32_t value;  // The variable's address.
    uint32_t place;  // Its index among the frame's variables.
    bool is_named;   // Live values may contain its address.
  };
  struct Value {
    uint32_t value;
    bool is_label;  // If so, its index among the targets of indirect branches is passed.
  };

  uint32_t block = 0;
  uint32_t variable_places = 0;          // The number of the frame's variables.
  absl::Span<const Variable> variables;  // Passed by address; in the order of the function.
  absl::Span<const Value> values;        // Arguments, results, and the block's phis, in that order.
};

class LoopEntries {
 public:
  enum class Verdict : uint8_t {
    kPossible,
    // See splitter/osr/loop_entries.
    kImpossible,
    // The entry is possible or not, or other values are live, depending on what ir/ does not say:
    //  - the operands of operand bundles;
    //  - which memory a called function accesses, if it is passed the address of a variable that
    //    has lifetime markers, and that would otherwise not live at the loop;
    //  - values of a target's own types; how LLVM represents debug information, in huge functions;
    //  - a personality that is no function itself.
    kUnknown
  };

  // Finds the loops of `function`, which must not change as long as entries are asked for.
  void Begin(const ir::Function& function);

  // The number of loops, including those without a possible entry.
  uint32_t size() const { return static_cast<uint32_t>(found_.size()); }
  // The block where an iteration begins.
  uint32_t block(uint32_t loop) const { return search_.loop_headers()[loop]; }
  // The labels of the function, found when they are first asked for.
  const Labels& labels();

  // An entry's live-ins are computed when the entry is first asked for, in time proportional to the
  // function's blocks.
  Verdict Find(uint32_t loop);
  // The entry of a loop that Find has found possible. Valid until the next call of Find or Begin.
  LoopEntry At(uint32_t loop) const;

  // The blocks that the function's indirect branches may go to (IndirectTargets).
  const std::vector<uint32_t>& indirect_targets();
  // The variables in the function's frame, as the values that are their addresses. They are known
  // when an entry has been possible.
  const VariableLiveness& variables() const { return variables_; }

 private:
  struct Found {
    std::optional<Verdict> verdict;
    // The entry's parts of the lists.
    uint32_t first_variable = 0, variable_count = 0;
    uint32_t first_value = 0, value_count = 0;
  };

  Verdict IsAnyPossible();
  Verdict FillIn(uint32_t loop);
  Verdict AddVariables(uint32_t block);
  Verdict AddValues();
  static Verdict CanBePassed(const ir::Type& type);

  const ir::Function* function_ = nullptr;
  BlockGraph graph_;
  BlockSearch search_;
  UserLists users_;
  Labels labels_;
  LiveValues live_;
  VariableLiveness variables_;
  NamedVariables named_;
  std::vector<Found> found_;  // By loop.
  std::vector<LoopEntry::Variable> variable_list_;
  std::vector<LoopEntry::Value> value_list_;
  std::optional<Verdict> is_any_possible_;
  bool has_labels_ = false;
  bool has_liveness_ = false;
  std::optional<std::vector<uint32_t>> indirect_targets_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_LOOP_ENTRIES_H_
