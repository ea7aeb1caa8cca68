// The post-dominator tree of a function with few blocks: which block all ways from a block to the
// end of the function lead through.
//
// The answers are those of llvm::PostDominatorTree, also for loops that never end: in such a loop
// one block counts as an end of the function.
//
// Immutable after construction, therefore thread-safe. Tested in
// tests/direct/inevitable_calls_test.cc.

#ifndef FIRSTCALL_DIRECT_POST_DOMINATORS_H_
#define FIRSTCALL_DIRECT_POST_DOMINATORS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ir/function.h"

namespace firstcall::direct {

class PostDominators {
 public:
  static constexpr size_t kMostBlocks = 64;

  // `function` has at most kMostBlocks blocks.
  explicit PostDominators(const ir::Function& function);

  // The block nearest to block number `block` that all ways from it lead through; ir::kNone if
  // there is none.
  uint32_t Of(uint32_t block) const;

 private:
  // A set of blocks.
  using Blocks = uint64_t;
  static Blocks Only(uint32_t block) { return Blocks{1} << block; }

  // Adds to `reached` the blocks from which ways lead to `block`, and the block itself.
  void ReachBackward(uint32_t block, Blocks& reached) const;
  // The block that is reached last if one follows the successors from `block` to blocks outside of
  // `reached`, those that stand last in the function first.
  uint32_t FurthestFrom(uint32_t block, Blocks reached) const;
  Blocks ReachableFrom(uint32_t block) const;
  void FindEnds();
  void RemoveRedundantEnds();
  void Compute();

  const size_t count_;
  std::array<Blocks, kMostBlocks> successors_{}, predecessors_{};
  // In the order in which they were found.
  std::array<uint32_t, kMostBlocks> ends_{};
  size_t end_count_ = 0;
  std::array<Blocks, kMostBlocks> of_{};  // The post-dominators of each block, and itself.
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_POST_DOMINATORS_H_
