// How values of LLVM's types are divided into parts that fit a register.
//
// An integer of up to 64 bits or a pointer is one part in a general register; the bits above its
// width are unspecified. An integer of up to 128 bits is two parts, the lower first, and so is a
// floating-point number of 80 bits (x86_fp80). Another floating-point number, or a vector of up to
// 16 bytes, is one part in the lowest bytes of a vector register, in the layout it has in memory. A
// larger vector, of up to 256 bytes, is parts of 16 bytes each. What is behind the last lane of a
// vector is unspecified. The lanes of a vector of i1 are masks, all of whose bits are the same: of
// MaskLaneBits bits each, so that up to 16 of them are one part. An aggregate's parts are the parts
// of its members, in order.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VALUE_PARTS_H_
#define FIRSTCALL_BACKEND_BASELINE_VALUE_PARTS_H_

#include <cstdint>

#include "backend/baseline/value_facts.h"
#include "ir/type.h"

namespace firstcall::baseline {

// Has no initial values, because lists of PartType are made for every instruction.
struct PartType {
  bool is_vector;  // Whether the part is in a vector register.
  uint8_t bytes;   // 1, 2, 4, 8; in vector registers 2, 4, 8, 16.
  uint16_t bits;  // The width of an integer part; a second part has the bits above 64. Of a part in
                  // a vector register: the bits that the value has in memory.
  bool has_lanes;  // The part is an LLVM vector or a part of a vector.
};

inline constexpr unsigned kMaxParts = 16;

// The parts of values of one type; `count` is 0 if the type is not supported, or void.
struct PartList {
  unsigned count = 0;
  PartType parts[kMaxParts];
};

PartList PartsOf(const ir::Type* type);

// The offsets in bytes of the parts of a value of `type` in memory. `type` must be supported.
struct PartOffsets {
  unsigned count = 0;
  int32_t offsets[kMaxParts];
};
PartOffsets OffsetsOf(const ir::Type* type);

// Whether the type is x86_fp80, which only x86-64 computes with (x87_x86_64.h).
inline bool IsLongDouble(const ir::Type* type) { return type->kind == ir::TypeKind::kX86Fp80; }

// Whether the type is half or bfloat. Code computes with them by way of float
// (small_float_expansion.h).
inline bool IsSmallFloat(const ir::Type* type) {
  return type->kind == ir::TypeKind::kHalf || type->kind == ir::TypeKind::kBFloat;
}
// Whether the type is one of these, or a vector of them.
inline bool HasSmallFloats(const ir::Type* type) { return IsSmallFloat(type->scalar()); }

// Whether the type is fp128. Functions of a library compute with such numbers (quad_floats.h).
inline bool IsQuad(const ir::Type* type) { return type->kind == ir::TypeKind::kFp128; }

// Whether the type is float or double.
inline bool IsScalarFloat(const ir::Type* type) { return type->IsFloat() || type->IsDouble(); }

// Whether the type is an integer or a pointer in one general register.
inline bool IsScalar(const ir::Type* type) {
  return type->IsPointer() || (type->IsInteger() && type->number <= 64);
}

// Whether the type is an integer that has as many bits as a register, or a part of a register.
inline bool IsWholeWidth(const ir::Type* type) {
  return type->IsInteger() &&
         (type->number == 8 || type->number == 16 || type->number == 32 || type->number == 64);
}

// Whether the type is a vector of i1. Such values have no place in memory, and are passed to
// nobody.
inline bool IsMask(const ir::Type* type) {
  return type->IsVector() && type->scalar()->IsInteger(1);
}
// Whether the type is or has one of these.
bool HasMask(const ir::Type* type);

// The width in bits of a lane in a vector of `count` times i1.
unsigned MaskLaneBits(uint64_t count);

// What a register holds of a variable of the type; kNone if it cannot hold the variable.
Contents ContentsOf(const ir::Type* type);

// The number of parts, for types that are neither integers nor pointers.
unsigned PartCountOfOthers(const ir::Type* type);

// The number of parts, as PartsOf(type).count, but fast for integers and pointers.
inline unsigned PartCount(const ir::Type* type) {
  if (type->IsPointer()) return type->number == 0 ? 1 : 0;
  if (!type->IsInteger()) return PartCountOfOthers(type);
  const unsigned bits = type->number;
  return bits <= 64 ? 1 : bits <= 128 ? 2 : 0;
}

// The smallest of 1, 2, 4, 8 bytes that holds `bits`.
inline unsigned ContainerBytes(unsigned bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}
// The size of register operations on integers of `bits`: 4 or 8 bytes.
inline unsigned OperationBytes(unsigned bits) { return bits <= 32 ? 4 : 8; }

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VALUE_PARTS_H_
