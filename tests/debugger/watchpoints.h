// Whether the processor stops a program that writes to a watched address. Some virtual machines
// accept watchpoints that never hit.

#ifndef FIRSTCALL_TESTS_DEBUGGER_WATCHPOINTS_H_
#define FIRSTCALL_TESTS_DEBUGGER_WATCHPOINTS_H_

namespace firstcall {

// Whether a watchpoint of the kernel's, on a variable of this process, was accepted and has not
// counted a write. False if the kernel refuses it, for example because perf events are forbidden.
bool WatchpointsAreIgnored();

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_DEBUGGER_WATCHPOINTS_H_
