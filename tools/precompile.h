// `firstcall precompile ...`: fills an object cache ahead of time. Tested in
// tests/command/cache_command_test.cc.

#ifndef FIRSTCALL_TOOLS_PRECOMPILE_H_
#define FIRSTCALL_TOOLS_PRECOMPILE_H_

#include "tools/command_line.h"

namespace firstcall {

// Compiles every function of the program, or those named in `command_line.functions_file` (one a
// line), into the cache; with `command_line.precompile_optimized` also their optimized bodies.
// Returns the command's exit status: 0, or 1, with the reasons on standard error, if there is no
// cache or some function could not be compiled or linked. The functions that could be compiled are
// kept in any case.
int Precompile(const CommandLine& command_line);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_PRECOMPILE_H_
