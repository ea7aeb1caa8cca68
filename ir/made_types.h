// Types that a pass over a function's body needs, and that the function's module need not have. The
// same type is made once.
//
// Thread-compatible. The types live as long as the object. Tested in tests/ir/made_types_test.cc.

#ifndef FIRSTCALL_IR_MADE_TYPES_H_
#define FIRSTCALL_IR_MADE_TYPES_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "ir/type.h"

namespace firstcall::ir {

class MadeTypes {
 public:
  MadeTypes() = default;
  MadeTypes(const MadeTypes&) = delete;
  MadeTypes& operator=(const MadeTypes&) = delete;

  // An integer of at most 128 bits.
  const Type* Integer(uint32_t bits) { return Scalar(TypeKind::kInteger, bits); }
  // half, bfloat, float or double.
  const Type* Float(TypeKind kind);
  // A pointer of 64 bits.
  const Type* Pointer() { return Scalar(TypeKind::kPointer, 64); }
  // A type made by this object that is the same as `scalar`, which is one of these.
  const Type* Copy(const Type& scalar) {
    return Scalar(scalar.kind, static_cast<uint32_t>(scalar.bit_size));
  }
  // `element` is one of these.
  const Type* Vector(const Type* element, uint64_t count);
  // A structure of `count` members, each of which is one of these. Its Type::count is `count`, too,
  // which is 0 of a module's structures.
  const Type* Struct(const Type* member, uint64_t count);

 private:
  struct Made {
    Type type;
    std::vector<const Type*> contained;
    std::vector<uint64_t> offsets;
  };

  const Type* Scalar(TypeKind kind, uint32_t bits);
  // The type of `count` times `member`; null if it has not been made.
  const Type* Find(TypeKind kind, const Type* member, uint64_t count) const;
  Made& Add(TypeKind kind, uint64_t bits, uint32_t alignment);

  std::deque<Made> types_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_MADE_TYPES_H_
