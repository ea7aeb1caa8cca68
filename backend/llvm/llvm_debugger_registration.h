// Registers linked code with a debugger through LLVM's own listener, so that there is one list of
// such code in the process, and whoever changes it takes the same mutex.
//
// Thread-safe.

#ifndef FIRSTCALL_BACKEND_LLVM_LLVM_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_BACKEND_LLVM_LLVM_DEBUGGER_REGISTRATION_H_

namespace firstcall {

// Lets LLVM's listener register what RegisterWithDebugger is called for. Does nothing after the
// first call.
void UseLlvmsListener();

// Makes UseLlvmsListener do nothing: the list of object/debugger_registration is used even if it is
// LLVM's. For a program that uses LLVM through this library only, so that nobody else changes
// LLVM's list. LLVM's listener withdraws each object when the program ends, and a debugger stops
// the program each time. Call it before the first engine is created.
void LeaveOutLlvmsListener();

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_LLVM_DEBUGGER_REGISTRATION_H_
