// How values of LLVM's types are divided into parts that fit a register.
//
// An integer of up to 64 bits or a pointer is one part in a general register, of which the bits
// above its width mean nothing; one of up to 128 bits is two parts, the lower first. A float, a
// double or a vector of up to 16 bytes is one part in a vector register, in the lowest bytes, as it
// lies in memory; a vector of 32, 64 or 128 bytes is parts of 16 bytes each; a vector of i1 is one
// part of masks that fill 16 bytes. An aggregate's parts are those of its members in order.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_VALUE_PARTS_H_
#define FIRSTCALL_BASELINE_VALUE_PARTS_H_

#include <cstdint>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Type.h"

namespace firstcall::baseline {

// Without initial values, because lists of them are made for every instruction.
struct PartType {
  bool is_vector;  // Which registers it lives in.
  uint8_t bytes;   // 1, 2, 4, 8; of vector registers 2, 4, 8, 16.
  uint16_t bits;   // Of an integer the width, of which a second part has what is above 64.
  bool has_lanes;  // It is a vector, or a part of one, of LLVM's.
};

inline constexpr unsigned kMaxParts = 16;

// The parts of values of one type; `count` is 0 if the type is not supported, or void.
struct PartList {
  unsigned count = 0;
  PartType parts[kMaxParts];
};

PartList PartsOf(const llvm::Type* type);

// The distances of the parts from the beginning of a value of `type` in memory; `type` must be
// supported.
struct PartOffsets {
  unsigned count = 0;
  int32_t offsets[kMaxParts];
};
PartOffsets OffsetsOf(const llvm::Type* type, const llvm::DataLayout& layout);

// The same for types that are neither integers nor pointers.
unsigned PartCountOfOthers(const llvm::Type* type);

// The number of parts, as above, without looking at each if it is one.
inline unsigned PartCount(const llvm::Type* type) {
  if (type->isPointerTy()) return type->getPointerAddressSpace() == 0 ? 1 : 0;
  if (!type->isIntegerTy()) return PartCountOfOthers(type);
  const unsigned bits = type->getIntegerBitWidth();
  return bits <= 64 ? 1 : bits <= 128 ? 2 : 0;
}

// The smallest of 1, 2, 4, 8 bytes that hold `bits`.
inline unsigned ContainerBytes(unsigned bits) {
  return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}
// The size of operations on integers of `bits` in registers: 4 or 8 bytes.
inline unsigned OperationBytes(unsigned bits) { return bits <= 32 ? 4 : 8; }

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_VALUE_PARTS_H_
