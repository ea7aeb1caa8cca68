// The command's warnings, on standard error.
//
// Thread-safe.

#ifndef FIRSTCALL_TOOLS_WARNINGS_H_
#define FIRSTCALL_TOOLS_WARNINGS_H_

#include "absl/strings/string_view.h"

namespace firstcall {

// Prints a line with `message`. While this process can still become the program with LLVM
// (tools/variant.h), which would warn of the same again, the line is kept back.
void Warn(absl::string_view message);

// To be called when this process can become that program no more: prints what was kept back.
void PrintWarnings();

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_WARNINGS_H_
