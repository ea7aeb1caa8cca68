#include "direct/osr/block_graph.h"

#include "ir/constant.h"
#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::direct {
namespace {

// The index of the only target that the constant condition of `branch`, which has two targets,
// allows; 2 if the condition is no constant.
uint32_t OnlyTarget(const ir::Function& function, const ir::Instruction& branch) {
  const ir::Constant* const condition = function.ConstantOf(function.OperandOf(branch, 0));
  if (condition == nullptr || !condition->IsInteger()) return 2;
  return condition->IsZero() ? 1 : 0;
}

}  // namespace

void BlockGraph::Build(const ir::Function& function) {
  targets_ = function.targets.data();
  has_backward_edge_ = has_predecessors_ = false;
  successors_.resize(function.blocks.size());
  uint32_t number = 0;
  for (const ir::Block& block : function.blocks) {
    const ir::Instruction& terminator = function.TerminatorOf(block);
    Part part = {terminator.first_target, terminator.target_count};
    if (part.count == 2 && terminator.opcode == ir::Opcode::kBr) {
      const uint32_t only = OnlyTarget(function, terminator);
      if (only != 2) part = {part.first + only, 1};
    }
    for (uint32_t i = 0; i < part.count; ++i) {
      has_backward_edge_ |= targets_[part.first + i] <= number;
    }
    successors_[number++] = part;
  }
}

void BlockGraph::FindPredecessors() {
  has_predecessors_ = true;
  first_predecessor_.assign(size() + 1, 0);
  uint32_t edges = 0;
  for (uint32_t block = 0; block < size(); ++block) {
    for (uint32_t next : Successors(block)) ++first_predecessor_[next];
    edges += successors_[block].count;
  }
  // At first, the number of a block is the end of its list. Each list is then filled from its end,
  // which moves the number to the list's beginning.
  uint32_t end = 0;
  for (uint32_t& first : first_predecessor_) first = end += first;
  predecessors_.resize(edges);
  for (uint32_t block = size(); block-- > 0;) {
    for (uint32_t next : Successors(block)) predecessors_[--first_predecessor_[next]] = block;
  }
}

}  // namespace firstcall::direct
