// Registers linked code with a debugger, by the interface that GDB and LLDB share (GDB manual, "JIT
// Compilation Interface"): a list of objects in memory, and a function that the debugger stops at.
// Objects with debug information are registered always, so that a debugger which attaches later
// finds them. The others, which have names and unwind tables only, are registered while a debugger
// is listening.
//
// LLVM has such a list, too. It changes its list under a mutex of its own, which other code cannot
// take. So this code must never change LLVM's list:
//  - The list here is not LLVM's, unless both are linked statically into one file, which can have
//    only one list. (A debugger finds the list of each file; before GDB 11, only one of them.)
//  - Where LLVM is linked, SetDebuggerRegistrar must install a function that registers by LLVM's
//    own listener. Then the list here stays empty and is never changed. The exception is a program
//    in which nobody but this library uses LLVM (backend/llvm/llvm_debugger_registration).
//
// Thread-safe: the linkers of many threads use it.

#ifndef FIRSTCALL_OBJECT_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_OBJECT_DEBUGGER_REGISTRATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "memory/executor_address.h"
#include "object/elf_object.h"

namespace firstcall {

// Registers an object with the debugger: `image` is an object whose section headers have the
// addresses of loaded sections. Returns the function that withdraws the registration. Any thread
// may call either function.
using DebuggerRegistrar = std::function<std::function<void()>(std::vector<char> image)>;

// Replaces the function that RegisterWithDebugger calls. An empty registrar restores the default,
// which uses the list here. `stop` is the function that a debugger stops at for the registrar's
// list; null if the registrar has no such function of its own. Call it before the first object is
// registered.
void SetDebuggerRegistrar(DebuggerRegistrar registrar, const void* stop = nullptr);

// How many functions should be compiled along with one, so that they can be registered together.
// A debugger takes time for each registration, and more the more of them there were. So both
// numbers grow with the registrations: n functions are registered by some times the square root of
// n registrations, and the debugger's time for them is proportional to n.
struct RegisteredTogether {
  // If the function has debug information: the most of its callees that should come along. About
  // half of them will be called.
  size_t callees = 0;
  size_t others = 0;  // Functions that should come along in any case. If the program is large, few
                      // of them will be called.
};

// Zeros if no debugger is listening, and for the first functions.
RegisteredTogether FunctionsToRegisterTogether();

// Whether a debugger is listening, to the list here or to the registrar's.
bool HasListeningDebugger();

// Registers an image as the registrar does.
std::function<void()> RegisterImageWithDebugger(std::vector<char> image);

// Registers an image that is never withdrawn, where it is: what is added to the image later is seen
// by debuggers that attach later. The image must live as long as the process. False if another
// registrar was set: then nothing is registered.
bool RegisterLastingImage(const char* image, size_t size);

// Registers `object` if it has debug information or a debugger is listening. The object must be
// ready to run, because a debugger writes breakpoints into it. `address_of` returns the addresses
// of sections by their numbers; null for those that were not loaded. Returns the function that
// withdraws the registration, to be called when the code is freed; empty if nothing was registered.
// The object's bytes are copied.
std::function<void()> RegisterWithDebugger(const ElfObject& object,
                                           absl::FunctionRef<ExecutorAddress(uint32_t)> address_of);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_DEBUGGER_REGISTRATION_H_
