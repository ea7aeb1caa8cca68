// Computes which variables in a function's frame are live at the beginnings of its blocks.
//
// The answers are those of splitter/osr/variable_liveness for the same function, but for variables
// of which ir/ does not say enough.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_VARIABLE_LIVENESS_H_
#define FIRSTCALL_DIRECT_OSR_VARIABLE_LIVENESS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "direct/osr/bit_table.h"
#include "direct/osr/block_graph.h"
#include "direct/osr/user_lists.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::direct {

// A variable that is only loaded and stored is live where its value may be loaded before it is
// stored. Any other variable is live where its lifetime markers allow that; if it has none, or if
// memory may hold its address, it is live everywhere. The caller must look for live values that
// hold its address.
class VariableLiveness {
 public:
  enum class Answer : uint8_t { kNo, kYes, kUnknown };

  // Forgets the former function. The lifetime markers of `function` name variables. Takes time
  // proportional to the function's operands, and to its blocks times its variables, 64 of them at
  // once. If these are too many, or if the search needs too many passes, all variables count as
  // live everywhere.
  void Run(const ir::Function& function, BlockGraph& graph, UserLists& users);

  // The variables: the numbers of the values that are their addresses, in the function's order.
  const std::vector<uint32_t>& variables() const { return variables_; }
  // The index of the variable whose address is `value`; ir::kNone if there is none.
  uint32_t IndexOf(uint32_t value) const {
    const uint32_t distance = value - first_;
    return distance < indices_.size() ? indices_[distance] : ir::kNone;
  }

  // Whether variable number `variable` is live at the beginning of `block`, which can be reached.
  Answer IsLive(uint32_t variable, uint32_t block) const;

 private:
  enum class Kind : uint8_t {
    kEverywhere,      // Live everywhere.
    kAccessed,        // Only loaded and stored.
    kHasLifetime,     // Live where its markers allow that.
    kMayHaveLifetime  // One of the latter and the first.
  };
  enum class Access : uint8_t { kLoad, kStore, kBegin, kEnd };
  // A load or a store of a variable, or a lifetime marker. In the order of the function.
  struct Event {
    uint32_t block, variable;
    Access access;
  };
  enum class Search : uint8_t { kDone, kTooLong };

  void FindVariables();
  void LookAtUses();
  void LookAtUse(uint32_t variable, const ir::Instruction& user, uint32_t operand);
  void FindKinds(UserLists& users);
  void NoteEvents();
  Search Find(BlockGraph& graph);
  bool UpdateFromSuccessors(BlockGraph& graph, uint32_t block);
  bool UpdateFromPredecessors(BlockGraph& graph, uint32_t block);
  bool HasKind(Kind kind) const;

  const ir::Function* function_ = nullptr;
  std::vector<uint32_t> variables_;
  uint32_t first_ = 0;             // The first variable's value.
  std::vector<uint32_t> indices_;  // By value, less `first_`: the variable or kNone.
  std::vector<Kind> kinds_;        // By variable.
  std::vector<bool> has_begin_;    // By variable: a lifetime marker says where its life begins.
  std::vector<Event> events_;
  bool is_computed_ = false;  // If not, all variables count as live everywhere.
  bool is_unknown_ = false;   // Nothing is known, because the search took too long.
  BitTable accessed_;         // One set: the variables that are only accessed.
  // By block. What decides whether the variable is live: of one that is only accessed, the block's
  // first access or marker; of any other, the block's last marker.
  BitTable decided_;
  // The variable is live at the beginning, or behind the block, because of what decides.
  BitTable positive_;
  BitTable live_;                  // At the beginning of the block.
  std::vector<bool> to_accessed_;  // By block: to look at again, for variables only accessed.
  std::vector<bool> to_others_;    // The same for the others.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_VARIABLE_LIVENESS_H_
