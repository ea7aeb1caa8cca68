// Prints what is compiled while a program runs, for users who want to see what lazy compilation
// does. The kinds and formats are those of lli's -orc-lazy-debug. Tested in
// tests/command/command_test.cc.

#ifndef FIRSTCALL_TOOLS_DUMPER_H_
#define FIRSTCALL_TOOLS_DUMPER_H_

#include <memory>

#include "seam/listener.h"
#include "tools/dump.h"

namespace firstcall {

// Thread-safe.
std::unique_ptr<Listener> MakeDumper(Dump dump);

}  // namespace firstcall

#endif  // FIRSTCALL_TOOLS_DUMPER_H_
