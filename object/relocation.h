// Types that the relocations of all architectures share. Tested in
// tests/object/relocations_x86_64_test.cc.

#ifndef FIRSTCALL_OBJECT_RELOCATION_H_
#define FIRSTCALL_OBJECT_RELOCATION_H_

#include <cstdint>

#include "object/machine.h"

namespace firstcall {

// How far a kind of relocation reaches.
enum class RelocationReach : uint8_t {
  kAny,   // Anywhere; if necessary, the linker goes through a table or a jump.
  kNear,  // Within an arena.
  kNone,  // Not even within an arena.
};

// Whether MCJIT's linker applies a kind as it should. The linker ends the process at kinds that it
// does not know, and cuts off what does not fit into narrow ones.
enum class McjitSupport : uint8_t { kNo, kInCode, kYes };

// What a kind of relocation is, for all who read, place or apply it. An architecture has one
// description of each kind (relocations_x86_64.cc, relocations_aarch64.cc), which also says what is
// written.
struct RelocationKindInfo {
  bool is_known = false;
  uint8_t size = 0;              // Bytes that are written; 0 if the relocation does nothing.
  bool uses_entry = false;       // Needs an entry of the offset table for its symbol.
  bool uses_table = false;       // Needs the address of the offset table.
  bool may_use_jump = false;     // Goes through a jump if its target is out of reach.
  bool takes_no_addend = false;  // An entry has no room for an addend: it belongs to the symbol.
  // Of a thread-local variable. Known kinds need the variable's descriptor, or one of the object's
  // own block (uses_own_block), or the variable's place in that block (is_place_in_block).
  bool is_thread_local = false;
  bool uses_descriptor = false;
  bool uses_own_block = false;
  bool is_place_in_block = false;
  bool is_address = false;   // Writes the 64 bits of the symbol's address, plus the addend.
  bool is_absolute = false;  // Writes fewer bits of the symbol's address.
  bool may_be_call = false;  // Is that of a branch to a function, if the addend allows.
  RelocationReach reach = RelocationReach::kAny;
  McjitSupport mcjit = McjitSupport::kNo;
};

// Describes relocation `type` of `machine`; is_known is false for a kind that is not supported. The
// result lives as long as the process.
const RelocationKindInfo& DescribeRelocation(Machine machine, uint32_t type);

// The addresses that a relocation may need. The letters are those of the ABI documents.
struct RelocationAddresses {
  uint64_t symbol = 0;  // S
  int64_t addend = 0;   // A
  uint64_t place = 0;   // P: where the changed bytes run.
  uint64_t entry = 0;   // The symbol's entry of the offset table, if the kind uses one.
  uint64_t table = 0;   // The offset table, if the kind uses it.
  // Of a thread-local variable: the descriptor that the kind uses; the variable's place in its
  // block.
  uint64_t descriptor = 0;
  uint64_t place_in_block = 0;
};

enum class RelocationResult {
  kDone,
  kOutOfReach,  // The distance does not fit.
  kTooHigh,     // The absolute address does not fit.
  kNotAligned,  // The target is not aligned as the instruction demands.
};

// Whether `value` fits into `bits` bits, as a signed number.
constexpr bool FitsSigned(int64_t value, int bits) {
  return value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1));
}

// Whether the low `bits` bits of an address, extended with signs or zeros, may mean the address.
constexpr bool FitsEither(uint64_t value, int bits) {
  return value < (uint64_t{1} << bits) || FitsSigned(static_cast<int64_t>(value), bits);
}

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RELOCATION_H_
