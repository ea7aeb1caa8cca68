// Tells whether code in memory was made from an object.
//
// Thread-safe: a pure function of its arguments. Tested in tests/object/running_code_test.cc.

#ifndef FIRSTCALL_OBJECT_RUNNING_CODE_H_
#define FIRSTCALL_OBJECT_RUNNING_CODE_H_

#include "absl/strings/string_view.h"
#include "object/elf_object.h"

namespace firstcall {

// Whether the code at `body`, in this process, is that of `function` in `object`, wherever the code
// lies: bytes that relocations change are not compared, and a debugger's breakpoints in the code
// count as equal. False if the object does not define the function. At `body` there must be code of
// some function.
bool IsCodeOf(const ElfObject& object, absl::string_view function, const void* body);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RUNNING_CODE_H_
