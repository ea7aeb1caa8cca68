// Keeps the names of compiled code where a debugger finds them that attaches to the process at any
// time, or that reads its core dump: in objects that grow, which were registered when they were
// empty (GDB manual, "JIT Compilation Interface").
//
// For code without debug information that was linked while no debugger listened: other code is
// registered with an object of its own (debugger_registration.h). A function costs some hundred
// instructions, and 28 bytes beside its name.
//
// Thread-safe. Tested in tests/object/code_names_test.cc and tests/debugger/attach_test.cc.

#ifndef FIRSTCALL_OBJECT_CODE_NAMES_H_
#define FIRSTCALL_OBJECT_CODE_NAMES_H_

#include <cstdint>
#include <functional>

#include "absl/functional/function_ref.h"
#include "memory/executor_address.h"
#include "object/elf_object.h"

namespace firstcall {

// Notes the functions that `object` defines, whose sections were loaded at the addresses that
// `address_of` returns for their numbers. Returns the function that removes the names, to be called
// when the code is freed; empty if there are no functions, or if what registers code cannot keep
// names (SetDebuggerRegistrar).
std::function<void()> NoteCodeNames(const ElfObject& object,
                                    absl::FunctionRef<ExecutorAddress(uint32_t)> address_of);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_CODE_NAMES_H_
