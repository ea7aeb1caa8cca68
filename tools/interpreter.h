// Runs a program with LLVM's interpreter instead of compiling it. Tested in
// tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_INTERPRETER_H_
#define FIRSTCALL_TOOLS_INTERPRETER_H_

#include "absl/status/statusor.h"
#include "tools/command_line.h"

namespace firstcall {

// Interprets the only module of `command_line`, with its constructors and destructors, and returns
// the entry function's result. InvalidArgument if the module cannot be read; NotFound if it does
// not define the entry function; Unimplemented if there are further modules or objects. If the
// interpreter does not support something (much of what is newer than 2010), it ends the process.
absl::StatusOr<int> Interpret(const CommandLine& command_line);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_INTERPRETER_H_
