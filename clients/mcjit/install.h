// Makes LLVM's MCJIT engines lazy: those that the process creates from now on, through
// llvm::EngineBuilder or LLVM's C API. docs/from-mcjit.md describes them.

#ifndef FIRSTCALL_CLIENTS_MCJIT_INSTALL_H_
#define FIRSTCALL_CLIENTS_MCJIT_INSTALL_H_

namespace firstcall {

// Takes MCJIT's place. Returns false, and changes nothing, if this process has no LLVM 19 with
// MCJIT (LLVMLinkInMCJIT). Further calls have no effect. Thread-safe, but no other thread may
// create an engine during the call. Compiles nothing.
bool InstallAsMcjit();

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_INSTALL_H_
