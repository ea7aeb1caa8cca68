// Registers linked code with a debugger, by the interface that GDB and LLDB share (GDB manual, "JIT
// Compilation Interface"): a list of objects in memory, and a function that the debugger stops at.
// Only objects with debug information are registered, because the debugger stops the process to
// read each one.
//
// LLVM has such a list, too, and takes a mutex of its own when it changes it, which nobody else can
// take. So two who change one list would corrupt it. Therefore
//  - the list here is never LLVM's, unless both are linked statically into one file, in which there
//    can be only one. (A debugger finds the list of each file; before GDB 11, only one of them.)
//  - where LLVM is linked, SetDebuggerRegistrar must install a function that registers by LLVM's
//  own
//    listener. Then the list here stays empty and is never changed.
//
// Thread-safe: the linkers of many threads use it.

#ifndef FIRSTCALL_CODE_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_CODE_DEBUGGER_REGISTRATION_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "code/elf_object.h"
#include "memory/executor_address.h"

namespace firstcall {

// Registers an object with the debugger: `image` is an object whose section headers have the
// addresses of loaded sections. Returns the function that withdraws the registration. Both are
// called by any thread.
using DebuggerRegistrar = std::function<std::function<void()>(std::vector<char> image)>;

// Replaces the function that RegisterWithDebugger calls; an empty one restores the list here.
// Call it before the first object is registered.
void SetDebuggerRegistrar(DebuggerRegistrar registrar);

// Registers `object` if it has debug information. `address_of` returns the addresses of sections by
// their numbers; null for those that were not loaded. Returns the function that withdraws the
// registration, to be called when the code is freed; empty if nothing was registered. The object's
// bytes are copied.
std::function<void()> RegisterWithDebugger(const ElfObject& object,
                                           absl::FunctionRef<ExecutorAddress(uint32_t)> address_of);

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_DEBUGGER_REGISTRATION_H_
