#include "engine/debug_info_choice.h"

#include <algorithm>

#include "object/debugger_registration.h"
#include "seam/event.h"

namespace firstcall {

DebugInfo ChooseDebugInfo(const EngineOptions& options) {
  if (options.debug_info != DebugInfo::kAuto) return options.debug_info;
  const auto& listeners = options.event_listeners;
  const bool is_wanted =
      HasListeningDebugger() || std::any_of(listeners.begin(), listeners.end(),
                                            [](const auto& each) { return each->wants_code(); });
  return is_wanted ? DebugInfo::kAlways : DebugInfo::kNever;
}

}  // namespace firstcall
