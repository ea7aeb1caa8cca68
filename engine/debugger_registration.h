// Makes linked code known to a debugger, by the interface that GDB and LLDB share
// (__jit_debug_descriptor), as long as it is there. Only objects with debug
// information are made known: the debugger reads each one, and stops the process for that.
//
// Thread-safe: linkers of many threads report to it.

#ifndef FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_

#include <functional>

#include "llvm/ExecutionEngine/JITEventListener.h"
#include "llvm/ExecutionEngine/RuntimeDyld.h"

namespace firstcall {

// Makes `object` known, if it has debug information. Returns what withdraws it, to be called when
// its code goes; empty if there is nothing to withdraw.
std::function<void()> RegisterWithDebugger(const llvm::object::ObjectFile& object,
                                           const llvm::RuntimeDyld::LoadedObjectInfo& info);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
