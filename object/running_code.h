// Compares code in memory with an object's, and finds what it calls.
//
// Thread-safe: pure functions of their arguments, and of the code in memory. Tested in
// tests/object/running_code_test.cc.

#ifndef FIRSTCALL_OBJECT_RUNNING_CODE_H_
#define FIRSTCALL_OBJECT_RUNNING_CODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "object/machine.h"

namespace firstcall {

// Whether the code at `body`, in this process, is that of `function` in `object`, wherever the code
// lies: bytes that relocations change are not compared, and a debugger's breakpoints in the code
// count as equal. False if the object does not define the function. At `body` there must be code of
// some function.
bool IsCodeOf(const ElfObject& object, absl::string_view function, const void* body);

// How many bytes of code `function` has in `object`; 0 if the object does not define the function.
uint64_t CodeSizeOf(const ElfObject& object, absl::string_view function);

// Where `size` bytes at `code`, in this process, call or jump straight, without a pointer in
// memory. Bytes that only look like a call count, too. Ends early where no memory is mapped.
// Nothing if the system does not let the process read its own memory.
std::vector<uintptr_t> StraightTargetsOf(Machine machine, const void* code, size_t size);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RUNNING_CODE_H_
