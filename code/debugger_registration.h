// Registers linked code with a debugger, by the interface that GDB and LLDB share (GDB manual, "JIT
// Compilation Interface"): a list of objects in memory, and a function that the debugger stops at.
// Only objects with debug information are registered, because the debugger stops the process to
// read each one.
//
// LLVM has such a list, too. It changes its list under a mutex of its own, which other code cannot
// take. So this code must never change LLVM's list:
//  - The list here is not LLVM's, unless both are linked statically into one file, which can have
//    only one list. (A debugger finds the list of each file; before GDB 11, only one of them.)
//  - Where LLVM is linked, SetDebuggerRegistrar must install a function that registers by LLVM's
//    own listener. Then the list here stays empty and is never changed.
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
// addresses of loaded sections. Returns the function that withdraws the registration. Any thread
// may call either function.
using DebuggerRegistrar = std::function<std::function<void()>(std::vector<char> image)>;

// Replaces the function that RegisterWithDebugger calls. An empty one restores the default, which
// uses the list here.
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
