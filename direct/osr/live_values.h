// Finds the values that are live at the header of a loop: those that must be passed to a body that
// goes on there.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_LIVE_VALUES_H_
#define FIRSTCALL_DIRECT_OSR_LIVE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "direct/osr/block_graph.h"
#include "direct/osr/block_search.h"
#include "direct/osr/user_lists.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::direct {

// A value is live at the beginning of a block if its own block dominates that block (so there are
// few candidates), and if it is used in code that the block reaches without passing through the
// value's own block again.
class LiveValues {
 public:
  enum class Answer : uint8_t {
    kFound,
    kTooLong,  // Finding the values would take too long.
    kUnknown   // LLVM would find so, or not, depending on how it represents debug information.
  };

  // Forgets the former function. All must outlive what is asked.
  void Begin(const ir::Function& function, BlockGraph& graph, BlockSearch& search, UserLists& users,
             bool has_debug_calls);

  // Finds the values that are live at `block`, without the frame's variables, in the order of the
  // function. All calls for a function share a number of steps.
  Answer Find(uint32_t block);

  // What the last Find has found.
  const std::vector<uint32_t>& values() const { return values_; }

 private:
  // A set of blocks.
  using Blocks = std::vector<uint64_t>;
  static bool Has(const Blocks& blocks, uint32_t block) {
    return (blocks[block / 64] >> (block % 64) & 1) != 0;
  }

  void Reach(uint32_t from, uint32_t without, Blocks& reached);
  void AddArguments();
  void AddResultsOf(uint32_t dominator, uint32_t block);
  void AddPhisOf(uint32_t block);
  bool IsUsed(uint32_t value, const Blocks& blocks);
  bool IsUsedBy(const ir::Instruction& user, uint32_t value, const Blocks& blocks) const;
  void SpendOfAll(size_t steps);
  void SpendForInstructions(const ir::Block& block);

  const ir::Function* function_ = nullptr;
  BlockGraph* graph_ = nullptr;
  BlockSearch* search_ = nullptr;
  UserLists* users_ = nullptr;
  bool has_debug_calls_ = false;
  size_t steps_left_ = 0;  // Of one call.
  // Of all calls: if calls for debug information are counted as instructions, and if they are not.
  size_t least_left_ = 0, most_left_ = 0;
  std::vector<uint32_t> values_;
  Blocks reached_;  // Those that the block reaches.
  Blocks without_;  // The same without passing through the block of a value.
  std::vector<uint32_t> pending_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_LIVE_VALUES_H_
