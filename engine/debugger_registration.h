// Registers linked code with a debugger, by the interface that GDB and LLDB share
// (__jit_debug_descriptor). Only objects with debug information are registered, because the
// debugger stops the process to read each one.
//
// Thread-safe: the linkers of many threads use it.

#ifndef FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_

#include <functional>

#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

// Registers `object` if it has debug information. Returns the function that withdraws the
// registration, to be called when the code is freed; empty if nothing was registered.
std::function<void()> RegisterWithDebugger(const llvm::object::ObjectFile& object,
                                           const llvm::RuntimeDyld::LoadedObjectInfo& info);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
