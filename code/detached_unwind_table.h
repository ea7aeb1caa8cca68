// Makes unwind tables for single pieces of code: for a profiler that puts each function into a file
// of its own. (The format: Linux Standard Base, Core, 10.6.)
//
// Thread-safe: a pure function of its arguments.

#ifndef FIRSTCALL_CODE_DETACHED_UNWIND_TABLE_H_
#define FIRSTCALL_CODE_DETACHED_UNWIND_TABLE_H_

#include <cstdint>
#include <string>

#include "code/elf_object.h"

namespace firstcall {

// To be used directly behind the code, at the next multiple of 8.
struct DetachedUnwindTable {
  std::string entries;  // As .eh_frame has them. A multiple of 8 bytes.
  std::string index;    // As .eh_frame_hdr has it, to be used behind the entries.
};

// How the frames of `size` bytes of code at `offset` of section `section` are unwound. Handlers of
// exceptions are left out. Both parts are empty if the object says nothing about this code; of a
// damaged table, they have what is in front of the damage. The object's relocations need not be
// applied.
DetachedUnwindTable DetachUnwindTable(const ElfObject& object, uint32_t section, uint64_t offset,
                                      uint64_t size);

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_DETACHED_UNWIND_TABLE_H_
