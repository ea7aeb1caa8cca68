// Chooses for an engine whether its code has debug information (seam/debug_info.h).
//
// Thread-safe: a pure function of the options and of whether a debugger is listening. Tested in
// tests/api/debug_info_test.cc.

#ifndef FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_
#define FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_

#include "engine/options.h"
#include "seam/debug_info.h"

namespace firstcall {

// What `options.debug_info` comes to now: kAlways or kNever. The event listeners must not be null.
DebugInfo ChooseDebugInfo(const EngineOptions& options);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_
