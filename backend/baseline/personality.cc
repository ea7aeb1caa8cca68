#include "backend/baseline/personality.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "backend/baseline/constants.h"

namespace firstcall::baseline {
namespace {

// The routines that LLVM knows (llvm::classifyEHPersonality). They need no call for frames without
// landing pads.
constexpr absl::string_view kKnown[] = {
    "__gxx_personality_v0",      "__gcc_personality_v0",   "rust_eh_personality",
    "__objc_personality_v0",     "__gnat_eh_personality",  "__gxx_personality_seh0",
    "__gxx_personality_sj0",     "__gcc_personality_seh0", "__gcc_personality_sj0",
    "__gxx_wasm_personality_v0", "__xlcxx_personality_v1", "__zos_cxx_personality_v2",
    "__C_specific_handler",      "__CxxFrameHandler3",     "_except_handler3",
    "_except_handler4",          "ProcessCLRException",
};

}  // namespace

const ir::Global* PersonalityOf(const ir::Function& function) {
  const ir::Operand personality = function.global().personality();
  if (personality.IsNothing()) return nullptr;
  return function.GlobalOf(WithoutCasts(personality, function.all_constants()));
}

bool HasUnknownPersonality(const ir::Function& function) {
  if (function.global().personality().IsNothing()) return false;
  const ir::Global* const routine = PersonalityOf(function);
  return routine == nullptr || !routine->value_type()->IsFunction() ||
         std::find(std::begin(kKnown), std::end(kKnown), routine->name) == std::end(kKnown);
}

}  // namespace firstcall::baseline
