// Writes compiled code as a relocatable ELF object, the form in which the runtime half links code,
// caches keep it and debuggers read it.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_OBJECT_ELF_WRITER_H_
#define FIRSTCALL_OBJECT_ELF_WRITER_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "object/compiled_code.h"
#include "object/machine.h"

namespace firstcall {

// Returns one object with everything that `parts` have. A symbol that a part only refers to is that
// of another part which defines one of the same name. `comment` goes to the section .comment, as
// LLVM writes llvm.ident; no such section if it is empty. `machine` must not be kOther.
std::string WriteElfObject(absl::Span<const CompiledCode> parts, Machine machine,
                           absl::string_view comment);

// The same for a linker that divides unwind tables into their entries: equal common entries of the
// parts become one, and the table refers to code by a symbol that stays where it is if another
// definition takes the place of a weak function. (Each unwind table of a part has one
// common entry and, behind it, entries of functions.) Constants without relocations are in
// .rodata.
std::string WriteElfObjectForAnyLinker(absl::Span<const CompiledCode> parts, Machine machine,
                                       absl::string_view comment);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_WRITER_H_
