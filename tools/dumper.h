// Prints what is compiled while a program runs, for users who want to see what lazy compilation
// does. The kinds and formats are those of lli's -orc-lazy-debug. Tested in
// tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_DUMPER_H_
#define FIRSTCALL_TOOLS_DUMPER_H_

#include <memory>

#include "runtime/listener.h"

namespace firstcall {

enum class Dump {
  kNothing,
  kFunctions,        // "[ f g ]" for each compiled module, on standard output.
  kModules,          // The IR of each compiled module, on standard output.
  kModuleFiles,      // The IR of each, in a file named after the module in the working directory.
  kDebugDescriptor,  // The address of each entry in the debugger's list, on standard error.
  kDebugObjects,     // The object of each entry, on standard output.
};

// Thread-safe.
std::unique_ptr<Listener> MakeDumper(Dump dump);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_DUMPER_H_
