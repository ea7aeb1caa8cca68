// Registers linked code with a debugger through LLVM's own listener, so that there is one list of
// such code in the process, and whoever changes it takes the same mutex.
//
// Thread-safe.

#ifndef FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_

#include <functional>

#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

// Registers `object`, which RuntimeDyld has loaded, if it has debug information. Returns the
// function that withdraws the registration, to be called when the code is freed; empty if there is
// nothing to withdraw.
std::function<void()> RegisterWithLlvmsListener(const llvm::object::ObjectFile& object,
                                                const llvm::RuntimeDyld::LoadedObjectInfo& info);

// Lets LLVM's listener register the objects that ElfLinker links, too (see
// code/debugger_registration.h). Does nothing after the first call.
void UseLlvmsListener();

}  // namespace firstcall

#endif  // FIRSTCALL_CODEGEN_LLVM_DEBUGGER_REGISTRATION_H_
