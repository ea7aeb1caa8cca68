// Chooses for an engine whether its code has debug information (seam/debug_info.h).
//
// Thread-safe: a pure function of the options and of whether a debugger is listening. Tested in
// tests/api/debug_info_test.cc.

#ifndef FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_
#define FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_

#include "engine/options.h"
#include "seam/debug_info.h"

namespace firstcall {

// What `options.debug_info` comes to now: anything but kAuto. The event listeners must not be null.
DebugInfo ChooseDebugInfo(const EngineOptions& options);

// Whether the engine describes its code if a debugger attaches (runtime/functions/
// body_descriptions.h): `options`, in which the choice was not made yet, leave the choice to the
// engine, and it came to `chosen`.
bool DescribesBodies(const EngineOptions& options, DebugInfo chosen);

// Whether a listener wants the lines of code whose objects have none.
bool FindsLines(const EngineOptions& options, DebugInfo chosen);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DEBUG_INFO_CHOICE_H_
