// Which section of ELF stands for a section of Mach-O.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_OBJECT_MACHO_SECTIONS_H_
#define FIRSTCALL_OBJECT_MACHO_SECTIONS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "object/macho_file.h"

namespace firstcall {

// Names for some sections in place of those that follow from what they are, by their own names.
using SectionNames = absl::flat_hash_map<std::string, std::string>;

// Whether the section has code, data or debug information. Others are for linkers of Apple's.
bool IsKept(const MachoFile::Section& section);

// Unimplemented, with the section's name, if the section is of a kind that is not supported.
absl::Status CheckSection(const MachoFile::Section& section);

std::string NameInElf(const MachoFile::Section& section, const SectionNames& names);

// The flags of the section header: whether it is loaded, writable, code.
uint64_t FlagsInElf(const MachoFile::Section& section);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHO_SECTIONS_H_
