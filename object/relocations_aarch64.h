// The relocations of AArch64 (ELF for the Arm 64-bit Architecture, 5.7), apart from those of
// thread-local variables and of dynamic linking, and from some that only assembly can ask for.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_OBJECT_RELOCATIONS_AARCH64_H_
#define FIRSTCALL_OBJECT_RELOCATIONS_AARCH64_H_

#include <cstddef>
#include <cstdint>

#include "object/relocation.h"

namespace firstcall {

// As DescribeRelocation.
const RelocationKindInfo& DescribeAArch64Relocation(uint32_t type);

// Applies a relocation of a known type to the bytes at `place`. Replaces only the operand of an
// instruction, so a relocation can be applied again, with other addresses.
RelocationResult ApplyAArch64Relocation(uint32_t type, const RelocationAddresses& addresses,
                                        uint8_t* place);

// Writes a jump to any address to the kAArch64JumpSize bytes at `jump`, which is aligned to 8. The
// jump changes x16.
inline constexpr size_t kAArch64JumpSize = 16;
void WriteAArch64Jump(uint64_t target, uint8_t* jump);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RELOCATIONS_AARCH64_H_
