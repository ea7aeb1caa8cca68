// Libraries that are given (--dlopen) come in front of those that the command itself is linked
// with, for the program and for each other, as if the program had been linked with them. Only the
// dynamic linker can do that, when a process starts (LD_PRELOAD): so the command starts itself once
// more, as the program with LLVM (tools/variant.h).
//
// In that start the process has the program's arguments, because the dynamic linker passes them to
// the constructors of shared libraries. The command finds its own ones in the environment, and
// takes them out of it.
//
// To be used by main's thread, before there are others. Tested in tests/command/preload_test.cc.

#ifndef FIRSTCALL_TOOLS_PRELOAD_H_
#define FIRSTCALL_TOOLS_PRELOAD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firstcall {

// As main has them: `values` ends with a null pointer, and lasts as long as the process.
struct CommandArguments {
  int count = 0;
  char** values = nullptr;
};

// The command's own arguments, if those of main are the program's; otherwise those of main. To be
// called once, first of all. Then the environment is the program's.
CommandArguments TakeCommandArguments(int argc, char** argv);

// Whether this process was started by Preload: then the constructors of the libraries have run.
bool HasPreloaded();

// Makes this process the program with LLVM, for `reason` (RunWithLlvm), so that `libraries` are
// loaded before everything else, and main's arguments are `program`. Returns if HasPreloaded; if
// there are no libraries; and if that is not possible, as for a library that does not exist, or if
// the emulator of another machine's instructions cannot start a process. Then the caller loads them
// by dlopen.
void Preload(absl::string_view reason, absl::Span<const std::string> libraries,
             absl::Span<const std::string> program);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_PRELOAD_H_
