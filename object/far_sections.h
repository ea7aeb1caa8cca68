// The sections of large variables (object/large_section.h), and which of them may lie far from the
// rest of their object.
//
// Thread-safe: pure functions. Tested in tests/object/elf_object_test.cc.

#ifndef FIRSTCALL_OBJECT_FAR_SECTIONS_H_
#define FIRSTCALL_OBJECT_FAR_SECTIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "object/elf_tables.h"

namespace firstcall {

// Whether the object has a section of large variables.
bool HasLargeSections(const ElfTables& object);

// The numbers of those sections of large variables that the object's other sections reach wherever
// they lie. InvalidArgument if a relocation is damaged. Looks at every relocation if there is such
// a section.
absl::StatusOr<std::vector<uint32_t>> FarSections(const ElfTables& object);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_FAR_SECTIONS_H_
