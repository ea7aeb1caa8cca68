// Whether a debugger is attached that follows what is compiled. Such a debugger has a breakpoint in
// the function that is called when code is registered (object/debugger_registration).
//
// Thread-safe. Tested in tests/object/debugger_registration_test.cc.

#ifndef FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_
#define FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_

namespace firstcall {

// Set the functions in which a debugger may have its breakpoint: this library's own, and that of
// another library that registers code for this one. Null: there is no such function.
void SetOwnDebuggerStop(const void* function);
void SetOtherDebuggerStop(const void* function);

// Costs a few instructions.
bool IsDebuggerListening();

}  // namespace firstcall

#endif  // FIRSTCALL_MEMORY_DEBUGGER_PRESENCE_H_
