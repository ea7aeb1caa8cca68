// Runs LLDB on a program that is run by the command.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_DEBUGGER_LLDB_H_
#define FIRSTCALL_TESTS_DEBUGGER_LLDB_H_

#include <string>
#include <vector>

namespace firstcall {

// Why LLDB cannot be used here: "there is no LLDB"; empty if it can.
std::string WhyNoLldb();

// Runs LLDB's `commands` on the process `arguments`, with the loader for compiled code switched on,
// and returns what LLDB and the process have printed.
std::string RunLldb(const std::vector<std::string>& commands,
                    const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_DEBUGGER_LLDB_H_
