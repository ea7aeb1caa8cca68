#include "direct/inevitable_calls.h"

#include <cstddef>

#include "absl/types/span.h"
#include "direct/post_dominators.h"
#include "ir/attributes.h"
#include "ir/global.h"
#include "ir/instruction.h"

namespace firstcall::direct {
namespace {

// For a function with more blocks, computing the post-dominators costs more than compiling callees
// together saves.
constexpr size_t kMaxBlocks = 48;
static_assert(kMaxBlocks <= PostDominators::kMostBlocks);

bool DoesNotReturn(const ir::Function& function, const ir::Instruction& call) {
  if (function.CallOf(call).attributes->function.Has(ir::Attribute::kNoReturn)) return true;
  // Whatever its type.
  const ir::Global* const callee = function.GlobalOf(function.CalleeOf(call));
  return callee != nullptr && callee->IsFunction() &&
         callee->attributes()->function.Has(ir::Attribute::kNoReturn);
}

void AppendCallees(const ir::Function& function, uint32_t block, std::vector<uint32_t>& callees) {
  for (const ir::Instruction& instruction : function.InstructionsOf(function.blocks[block])) {
    if (!instruction.IsCall()) continue;
    const ir::Global* const callee = function.CalledFunctionOf(instruction);
    if (callee != nullptr && callee->intrinsic() == ir::IntrinsicId::kNone) {
      callees.push_back(function.module().NumberOf(*callee));
    }
    // What follows is reached only if this call returns.
    if (DoesNotReturn(function, instruction)) return;
  }
}

// The block that always comes next, unless an exception is thrown; ir::kNone if there are several.
uint32_t OnlyNormalSuccessor(const ir::Function& function, uint32_t block) {
  const absl::Span<const uint32_t> successors = function.SuccessorsOf(function.blocks[block]);
  const bool is_invoke =
      function.TerminatorOf(function.blocks[block]).opcode == ir::Opcode::kInvoke;
  return is_invoke || successors.size() == 1 ? successors[0] : ir::kNone;
}

}  // namespace

std::vector<uint32_t> InevitableCallees(const ir::Function& function) {
  const size_t count = function.blocks.size();
  std::vector<uint32_t> callees;
  uint32_t block = 0;
  AppendCallees(function, block, callees);
  if (count == 1) return callees;
  if (count > kMaxBlocks) {
    for (size_t followed = 1; followed < kMaxBlocks; ++followed) {
      block = OnlyNormalSuccessor(function, block);
      if (block == ir::kNone || block == 0) break;
      AppendCallees(function, block, callees);
    }
    return callees;
  }
  // Landing pads end in a resume or an unreachable, which count as ends of the function. They are
  // not wanted here, so the normal successor is followed first, and the tree where paths split.
  const PostDominators tree(function);
  for (size_t followed = 1; followed < count; ++followed) {
    uint32_t next = OnlyNormalSuccessor(function, block);
    if (next == ir::kNone) next = tree.Of(block);
    if (next == ir::kNone) break;
    AppendCallees(function, next, callees);
    block = next;
  }
  return callees;
}

}  // namespace firstcall::direct
