// Runs a program with LLVM's interpreter instead of compiling it.

#ifndef FIRSTCALL_TOOLS_INTERPRETER_H_
#define FIRSTCALL_TOOLS_INTERPRETER_H_

#include "absl/status/statusor.h"
#include "tools/command_line.h"

namespace firstcall {

// Interprets the first module of `command_line`, with its constructors and destructors, and returns
// the entry function's result. NotFound or InvalidArgument if it cannot be read or has no such
// function; Unimplemented if there are further modules or objects. What the interpreter itself does
// not know (much of what is newer than 2010) it ends the process for.
absl::StatusOr<int> Interpret(const CommandLine& command_line);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_INTERPRETER_H_
