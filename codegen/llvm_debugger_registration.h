// Registers linked code with a debugger through LLVM's own listener, so that there is one list of
// such code in the process, and whoever changes it takes the same mutex.
//
// Thread-safe.

#ifndef FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_

namespace firstcall {

// Lets LLVM's listener register what RegisterWithDebugger is called for. Does nothing after the
// first call.
void UseLlvmsListener();

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_
