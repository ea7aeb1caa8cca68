#include "ir/made_types.h"

namespace firstcall::ir {
namespace {

uint32_t PowerOfTwoFrom(uint64_t bytes) {
  uint32_t power = 1;
  while (power < bytes) power *= 2;
  return power;
}

}  // namespace

MadeTypes::Made& MadeTypes::Add(TypeKind kind, uint64_t bits, uint32_t alignment) {
  Made& made = types_.emplace_back();
  made.type.kind = kind;
  made.type.is_sized = true;
  made.type.bit_size = bits;
  made.type.store_size = (bits + 7) / 8;
  made.type.alignment = alignment;
  made.type.alloc_size = (made.type.store_size + alignment - 1) & ~uint64_t{alignment - 1};
  return made;
}

const Type* MadeTypes::Scalar(TypeKind kind, uint32_t bits) {
  for (const Made& made : types_) {
    if (made.type.kind == kind && made.type.bit_size == bits) return &made.type;
  }
  Made& made = Add(kind, bits, PowerOfTwoFrom((bits + 7) / 8));
  if (kind == TypeKind::kInteger) made.type.number = bits;
  return &made.type;
}

const Type* MadeTypes::Float(TypeKind kind) {
  return Scalar(kind, kind == TypeKind::kDouble ? 64 : kind == TypeKind::kFloat ? 32 : 16);
}

const Type* MadeTypes::Find(TypeKind kind, const Type* member, uint64_t count) const {
  for (const Made& made : types_) {
    if (made.type.kind == kind && made.contained[0] == member && made.type.count == count) {
      return &made.type;
    }
  }
  return nullptr;
}

const Type* MadeTypes::Vector(const Type* element, uint64_t count) {
  if (const Type* known = Find(TypeKind::kFixedVector, element, count)) return known;
  const uint64_t bits = element->bit_size * count;
  Made& made = Add(TypeKind::kFixedVector, bits, PowerOfTwoFrom((bits + 7) / 8));
  made.contained = {element};
  made.type.contained = made.contained;
  made.type.count = count;
  return &made.type;
}

const Type* MadeTypes::Struct(const Type* member, uint64_t count) {
  if (const Type* known = Find(TypeKind::kStruct, member, count)) return known;
  Made& made = Add(TypeKind::kStruct, 8 * member->alloc_size * count, member->alignment);
  made.contained.assign(count, member);
  for (uint64_t i = 0; i < count; ++i) made.offsets.push_back(i * member->alloc_size);
  made.type.contained = made.contained;
  made.type.offsets = made.offsets;
  made.type.count = count;
  return &made.type;
}

}  // namespace firstcall::ir
