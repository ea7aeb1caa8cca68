// Which attributes of bitcode are which ones of ir/.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_BITCODE_ATTRIBUTE_KINDS_H_
#define FIRSTCALL_BITCODE_ATTRIBUTE_KINDS_H_

#include <cstdint>

#include "ir/attributes.h"

namespace firstcall::bitcode {

// `attribute` as a bit of ir::AttributeSet::kinds.
constexpr uint64_t BitOf(ir::Attribute attribute) {
  return uint64_t{1} << static_cast<int>(attribute);
}

// The bit of the attribute that has the number `kind` in bitcode. 0 if code does not depend on the
// attribute; the bit of ir::Attribute::kUnknown if what the attribute means is not known here.
uint64_t BitsOfAttribute(uint64_t kind);

// Whether the attribute is one of those that name a type, such as byval. `bits` are what
// BitsOfAttribute has returned.
bool NamesType(uint64_t bits);

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_ATTRIBUTE_KINDS_H_
