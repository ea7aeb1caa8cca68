// The relocations of a Mach-O section, as relocations of ELF.
//
// Mach-O keeps addends in the bytes that a relocation changes, relocations that name a section
// count from address 0, and a distance takes a pair of relocations. ELF has an addend of its own
// and a symbol for each relocation, and its distances are those from the place of the relocation.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_OBJECT_MACHO_REFERENCES_H_
#define FIRSTCALL_OBJECT_MACHO_REFERENCES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "object/macho_file.h"

namespace firstcall {

struct MachoReference {
  enum class Target : uint8_t {
    kSymbol,   // The symbol `number`.
    kSection,  // The beginning of the section `number`, which counts from 1.
    kPointer,  // A pointer to the symbol `number`, for which the object must make room.
  };
  uint64_t offset = 0;
  uint32_t type = 0;  // A relocation of ELF.
  Target target = Target::kSymbol;
  uint32_t number = 0;
  int64_t addend = 0;
};

// The relocation of ELF that writes the distance of a target in `size` bytes (4 or 8).
uint32_t DistanceType(Machine machine, size_t size);

// Returns the references of section `number` of `file`, whose bytes are `contents`, and writes
// distances that are known already there, and zeros in place of addends. The numbers of symbols and
// sections in what is returned exist. InvalidArgument if a relocation is damaged; Unimplemented,
// with the name of the symbol, if it is not supported, such as that of a thread-local variable.
absl::StatusOr<std::vector<MachoReference>> ReadMachoReferences(const MachoFile& file,
                                                                uint32_t number,
                                                                std::string& contents);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHO_REFERENCES_H_
