// The width of types that contain no other type.
//
// Thread-safe: a pure function. Tested in tests/ir/data_layout_test.cc.

#ifndef FIRSTCALL_IR_SCALAR_BITS_H_
#define FIRSTCALL_IR_SCALAR_BITS_H_

#include <cstdint>

#include "ir/type.h"

namespace firstcall::ir {

// In bits. 0 for pointers, whose width the data layout says, and for types without a width.
inline uint64_t ScalarBits(const Type& type) {
  switch (type.kind) {
    case TypeKind::kHalf:
    case TypeKind::kBFloat:
      return 16;
    case TypeKind::kFloat:
      return 32;
    case TypeKind::kDouble:
    case TypeKind::kX86Mmx:
      return 64;
    case TypeKind::kX86Fp80:
      return 80;
    case TypeKind::kFp128:
    case TypeKind::kPpcFp128:
      return 128;
    case TypeKind::kX86Amx:
      return 8192;
    case TypeKind::kInteger:
      return type.number;
    default:
      return 0;
  }
}

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_SCALAR_BITS_H_
