// The references of the unwind table of a Mach-O object (__TEXT,__eh_frame).
//
// Assemblers of Mach-O write distances from the table to functions and to their data as if
// everything lay where the object says, without relocations. The linker places each section
// elsewhere, so it must know of them.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_OBJECT_MACHO_UNWIND_TABLE_H_
#define FIRSTCALL_OBJECT_MACHO_UNWIND_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "object/macho_file.h"
#include "object/macho_references.h"

namespace firstcall {

// `references` are those of section `number`, whose bytes are `contents`. Adds the references for
// which there is no relocation, and writes zeros in their places. InvalidArgument if the table is
// damaged.
absl::Status AddUnwindReferences(const MachoFile& file, uint32_t number, std::string& contents,
                                 std::vector<MachoReference>& references);

// Checks that the unwind table, which has `references`, has an entry for each function that the
// compact unwind table (__LD,__compact_unwind) describes. Only Apple's unwinder reads compact
// tables. Unimplemented if a function has no such entry.
absl::Status CheckCompactUnwindTable(const MachoFile& file,
                                     const std::vector<MachoReference>& references);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHO_UNWIND_TABLE_H_
