// Writes the names of the functions that were hot into a file when the process exits, one a line:
// a list for `firstcall precompile --functions`. Tested in tests/command/cache_command_test.cc.

#ifndef FIRSTCALL_TOOLS_HOT_FUNCTIONS_FILE_H_
#define FIRSTCALL_TOOLS_HOT_FUNCTIONS_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "engine/engine.h"

namespace firstcall {

// Makes `path` an empty file now, and fills it at exit with those functions of `engine` that have
// an optimized body or an OSR continuation, the hottest first. `engine` must exist until then. To
// be called once at most. PermissionDenied, with the system's reason, if the file cannot be
// written.
absl::Status WriteHotFunctionsAtExit(const Engine& engine, const std::string& path);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_HOT_FUNCTIONS_FILE_H_
