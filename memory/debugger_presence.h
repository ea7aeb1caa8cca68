// Whether a debugger is attached that follows what is compiled. Such a debugger has a breakpoint in
// the function that it is told of code by (code/debugger_registration).
//
// Thread-safe. Tested in tests/code/debugger_registration_test.cc.

#ifndef FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_
#define FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_

namespace firstcall {

// The functions that a debugger may have its breakpoint in: that of this library, and that of
// another one which registers code for it. Null: there is none.
void SetOwnDebuggerStop(const void* function);
void SetOtherDebuggerStop(const void* function);

// Costs a few instructions.
bool IsDebuggerListening();

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_
