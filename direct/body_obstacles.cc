#include "direct/body_obstacles.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "backend/feature_obstacles.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/instruction.h"
#include "object/machine.h"

namespace firstcall::direct {
namespace {

using ir::Attribute;
using ir::ConstantKind;

// The hooks that LLVM's EntryExitInstrumenterPass calls.
constexpr absl::string_view kHooks[] = {"instrument-function-entry", "instrument-function-exit",
                                        "instrument-function-entry-inlined",
                                        "instrument-function-exit-inlined"};

// As splitter/mandatory_inliner.cc says which calls are mandatory.
bool IsMandatory(const ir::Function& function, const ir::Instruction& call) {
  const ir::Global* const callee = function.CalledFunctionOf(call);
  // Without a body, the call is a call (glibc's fortified functions after LLVM's optimizer, which
  // drops bodies that are defined elsewhere).
  if (callee == nullptr || callee->is_declaration()) return false;
  const ir::AttributeSet& attributes = function.CallOf(call).attributes->function;
  if (attributes.Has(Attribute::kNoInline)) return false;
  return MustBeInlined(*callee) || (callee->linkage() == ir::Linkage::kAvailableExternally &&
                                    attributes.Has(Attribute::kAlwaysInline));
}

bool HasForeignLabel(const ir::Function& function) {
  const auto is_foreign = [&](const ir::Constant& constant) {
    return constant.kind == ConstantKind::kBlockAddress &&
           constant.global != function.global_number();
  };
  return std::any_of(function.constants.begin(), function.constants.end(), is_foreign);
}

}  // namespace

bool MustBeInlined(const ir::Global& function) {
  return function.attributes()->function.Has(Attribute::kAlwaysInline);
}

const char* ObstacleInAttributes(const ir::Global& function) {
  const ir::AttributeSet& attributes = function.attributes()->function;
  if (!function.prefix_data().IsNothing()) return "prefix data";
  if (attributes.Has(Attribute::kPresplitCoroutine)) return "a coroutine";
  if (attributes.ValueOf("use-soft-float") == "true") return "arithmetic in software";
  if (HasFeatureObstacle(attributes.ValueOf("target-features"), HostMachine())) {
    return "a feature of the processor";
  }
  for (absl::string_view hook : kHooks) {
    if (attributes.HasString(hook)) return "hooks at entry and exit";
  }
  return nullptr;
}

const char* ObstacleIn(const ir::Function& function) {
  if (const char* obstacle = ObstacleInAttributes(function.global())) return obstacle;
  if (function.has_debug_information) return "debug information";
  if (function.has_shared_blocks() || HasForeignLabel(function)) {
    return "addresses of blocks of other functions";
  }
  for (const ir::Instruction& instruction : function.instructions) {
    if (!instruction.IsCall()) continue;
    const ir::Constant* const callee = function.ConstantOf(function.CalleeOf(instruction));
    if (callee != nullptr && callee->kind == ConstantKind::kInlineAssembly) {
      return "inline assembly";
    }
    if (IsMandatory(function, instruction)) return "calls that must be inlined";
  }
  return nullptr;
}

}  // namespace firstcall::direct
