// Runs GDB on a program that is run by the command.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_DEBUGGER_GDB_H_
#define FIRSTCALL_TESTS_DEBUGGER_GDB_H_

#include <string>
#include <vector>

namespace firstcall {

// Why GDB cannot be used here: "there is no gdb"; empty if it can.
std::string WhyNoGdb();

// Why GDB cannot call a function of a process here: what it says when it is asked to call one of
// this program's, which was compiled ahead of time. Empty if it can. GDB 13 cannot on processors
// with AMX: it has to write all registers for a call, and does not know that part of their state.
std::string WhyNoCalls();

// Runs GDB's `commands` on the process `arguments`, or on none if they are empty, and returns what
// GDB and the process have printed. Breakpoints may be pending.
std::string RunGdb(const std::vector<std::string>& commands,
                   const std::vector<std::string>& arguments);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_DEBUGGER_GDB_H_
