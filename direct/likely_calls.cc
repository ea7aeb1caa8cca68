#include "direct/likely_calls.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "backend/baseline/constants.h"
#include "direct/block_frequencies.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/instruction.h"

namespace firstcall::direct {
namespace {

struct Callee {
  uint32_t function;
  double frequency;
};

// The function that is called, whatever its type; ir::kNone if there is none.
uint32_t FunctionCalledBy(const ir::Function& function, const ir::Instruction& call) {
  const ir::Operand callee =
      baseline::WithoutCasts(function.CalleeOf(call), function.all_constants());
  const ir::Global* const global = function.GlobalOf(callee);
  if (global == nullptr || !global->IsFunction() || global->intrinsic() != ir::IntrinsicId::kNone) {
    return ir::kNone;
  }
  return function.module().NumberOf(*global);
}

}  // namespace

std::vector<uint32_t> LikelyCallees(const ir::Function& function) {
  std::vector<Callee> callees;  // In the order of the calls.
  absl::flat_hash_map<uint32_t, size_t> places;
  std::optional<BlockFrequencies> frequencies;
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    for (const ir::Instruction& instruction : function.InstructionsOf(function.blocks[block])) {
      if (!instruction.IsCall()) continue;
      const uint32_t callee = FunctionCalledBy(function, instruction);
      if (callee == ir::kNone || callee == function.global_number()) continue;
      if (!frequencies) frequencies.emplace(function);
      const auto [place, is_new] = places.try_emplace(callee, callees.size());
      if (is_new) callees.push_back({callee, 0});
      double& highest = callees[place->second].frequency;
      highest = std::max(highest, frequencies->Of(block));
    }
  }
  std::stable_sort(callees.begin(), callees.end(),
                   [](const Callee& a, const Callee& b) { return a.frequency > b.frequency; });
  std::vector<uint32_t> result;
  for (const Callee& callee : callees) result.push_back(callee.function);
  return result;
}

}  // namespace firstcall::direct
