// Estimates how often the blocks of a function run, by rules of thumb: loops go on, errors are
// rare, pointers are seldom null (T. Ball and J. Larus, "Branch Prediction for Free"; Y. Wu and J.
// Larus, "Static Branch Frequency and Program Profile Analysis").
//
// The rules are simpler than those of LLVM's BlockFrequencyInfo, and no profile in metadata is
// read: the order of blocks by frequency is mostly the same, not always.
//
// Immutable after construction, therefore thread-safe. Tested in tests/direct/likely_calls_test.cc.

#ifndef FIRSTCALL_DIRECT_BLOCK_FREQUENCIES_H_
#define FIRSTCALL_DIRECT_BLOCK_FREQUENCIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace firstcall::direct {

class BlockFrequencies {
 public:
  // Takes time proportional to the size of the function times the depth of its loops.
  explicit BlockFrequencies(const ir::Function& function);

  // How often block number `block` runs in a call of the function.
  double Of(uint32_t block) const { return frequencies_[block]; }

 private:
  struct Edge {
    uint32_t from, to;
    double probability;
  };

  void Order();
  void FindLoops();
  bool IsWorthwhile() const;
  bool IsInLoop(uint32_t block, uint32_t header) const;
  double WeightOf(uint32_t block) const;
  // How likely the first target of the conditional branch is, as far as its condition tells.
  double ProbabilityOfTrue(const ir::Instruction& branch) const;
  void FindProbabilities();
  // The frequencies of the blocks of the loop with this header, if the header ran once. The whole
  // function is a loop, too.
  void Propagate(uint32_t header);

  const ir::Function& function_;
  const size_t count_;
  std::vector<uint32_t> order_;       // Blocks that can be reached, in reverse post-order.
  std::vector<uint32_t> place_;       // By block: where it is in order_; ir::kNone: unreachable.
  std::vector<uint32_t> header_;      // By block: the header of its innermost loop, or ir::kNone.
  std::vector<uint32_t> headers_;     // Those of outer loops before those of inner ones.
  std::vector<uint32_t> outer_;       // By header: the header of the loop around; or ir::kNone.
  std::vector<uint32_t> last_;        // By header: the place of the last block of the loop.
  std::vector<Edge> edges_;           // By the block that they enter.
  std::vector<uint32_t> first_edge_;  // By block, and the end.
  std::vector<double> back_;          // By header: how often its loop goes on.
  std::vector<double> frequencies_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_BLOCK_FREQUENCIES_H_
