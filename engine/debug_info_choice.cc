#include "engine/debug_info_choice.h"

#include <algorithm>

#include "object/debugger_registration.h"
#include "seam/event.h"
#include "seam/options.h"
#include "seam/target_settings.h"

namespace firstcall {
namespace {

bool IsCodeWanted(const EngineOptions& options) {
  const auto& listeners = options.event_listeners;
  return std::any_of(listeners.begin(), listeners.end(),
                     [](const auto& each) { return each->wants_code(); });
}

// Whether the baseline code generator makes code at all. Code in memory of the client's may be
// another process's, and is not compared.
bool HasCodeWithoutLines(const EngineOptions& options) {
  return options.mode == Mode::kLazy && options.tier != Tier::kOne &&
         options.codegen_level == CodegenLevel::kO0 &&
         BaselineOf(options).value_or(Baseline::kOff) != Baseline::kOff &&
         options.page_mapper == nullptr;
}

}  // namespace

DebugInfo ChooseDebugInfo(const EngineOptions& options) {
  if (options.debug_info != DebugInfo::kAuto) return options.debug_info;
  if (HasListeningDebugger()) return DebugInfo::kAlways;
  if (!IsCodeWanted(options)) return DebugInfo::kNever;
  return HasCodeWithoutLines(options) ? DebugInfo::kLines : DebugInfo::kAlways;
}

bool DescribesBodies(const EngineOptions& options, DebugInfo chosen) {
  return options.debug_info == DebugInfo::kAuto && chosen != DebugInfo::kAlways &&
         options.page_mapper == nullptr;
}

bool FindsLines(const EngineOptions& options, DebugInfo chosen) {
  return chosen == DebugInfo::kLines && IsCodeWanted(options) && options.page_mapper == nullptr;
}

}  // namespace firstcall
