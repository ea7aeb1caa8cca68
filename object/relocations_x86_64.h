// The relocations of x86-64 (psABI, 4.4.1), apart from those of thread-local variables and of
// dynamic linking.
//
// Thread-safe: pure functions of their arguments.

#ifndef FIRSTCALL_OBJECT_RELOCATIONS_X86_64_H_
#define FIRSTCALL_OBJECT_RELOCATIONS_X86_64_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "object/relocation.h"

namespace firstcall {

// As DescribeRelocation.
const RelocationKindInfo& DescribeX86_64Relocation(uint32_t type);

// Applies a relocation of a known type at `section[offset]`. The bytes that the relocation writes
// must lie in the section. `original` are the section's bytes in the object; because of them, a
// relocation can be applied again, with other addresses.
//
// An instruction that reads an address from the offset table is changed into one that needs no
// table if the address is within reach (psABI, B.2).
RelocationResult ApplyX86_64Relocation(uint32_t type, const RelocationAddresses& addresses,
                                       absl::Span<const char> original, absl::Span<uint8_t> section,
                                       size_t offset);

// Writes a jump to any address to the kX86_64JumpSize bytes at `jump`, which is aligned to 8.
inline constexpr size_t kX86_64JumpSize = 16;
void WriteX86_64Jump(uint64_t target, uint8_t* jump);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RELOCATIONS_X86_64_H_
