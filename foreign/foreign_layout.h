// Sizes, alignments and names of foreign types, laid out as C does on x86-64 and on AArch64: System
// V ABI, AMD64 supplement, section 3.1.2; Procedure Call Standard for the Arm 64-bit Architecture,
// section 5.
//
// All functions are thread-safe. Types must be valid (CheckValues in foreign/foreign_call). Tested
// in tests/foreign/foreign_call_test.cc.

#ifndef FIRSTCALL_FOREIGN_FOREIGN_LAYOUT_H_
#define FIRSTCALL_FOREIGN_FOREIGN_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "foreign/foreign_value.h"

namespace firstcall {

// In bytes.
struct Layout {
  size_t size = 0;
  size_t alignment = 1;
};
Layout LayoutOf(const ForeignType& type);

size_t AlignUp(size_t size, size_t alignment);

// The width of an integer type in IR: 1 for a bool. 0 for all other kinds.
unsigned BitsOf(ForeignKind kind);
bool IsSigned(ForeignKind kind);

// The lowest `bits` bits of `value`, of which there is at least one, extended to 64.
uint64_t Extend(uint64_t value, unsigned bits, bool is_signed);

// The name of a type, for messages: "int32", "struct {double, pointer}".
std::string NameOf(const ForeignType& type);

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FOREIGN_LAYOUT_H_
