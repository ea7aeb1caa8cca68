#include "backend/baseline/value_parts.h"

#include <algorithm>
#include <cstddef>

namespace firstcall::baseline {
namespace {

// A supported type consists of at most this many types, each counted as often as it is a member.
// The limit bounds the time and the depth of every walk over a supported type: kMaxParts does not,
// because empty members have no parts.
constexpr unsigned kMostTypes = 512;

// The bits of a lane in memory; 0 if vectors of such elements are not supported.
unsigned ElementBits(const ir::Type& element) {
  if (element.IsInteger()) {
    const unsigned bits = element.number;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
  }
  if (IsSmallFloat(&element)) return 16;
  if (element.IsFloat()) return 32;
  return element.IsDouble() || (element.IsPointer() && element.number == 0) ? 64 : 0;
}

// The bytes of a vector's lanes, as they are in registers; 0 if the type is not supported.
unsigned VectorBytes(const ir::Type& type) {
  constexpr uint64_t kMostBytes = 16 * kMaxParts;
  const uint64_t count = type.count;
  if (count > kMostBytes) return 0;
  if (type.element()->IsInteger(1)) return count <= 16 ? 16 : static_cast<unsigned>(count);
  const uint64_t bytes = count * ElementBits(*type.element()) / 8;
  return bytes <= kMostBytes ? static_cast<unsigned>(bytes) : 0;
}

bool AppendPart(const PartType& part, PartList& list) {
  if (list.count == kMaxParts) return false;
  list.parts[list.count++] = part;
  return true;
}

bool AppendInteger(unsigned bits, PartList& list) {
  if (bits > 128) return false;
  if (bits <= 64) {
    return AppendPart(
        {false, static_cast<uint8_t>(ContainerBytes(bits)), static_cast<uint16_t>(bits), false},
        list);
  }
  return AppendPart({false, 8, 64, false}, list) &&
         AppendPart({false, static_cast<uint8_t>(ContainerBytes(bits - 64)),
                     static_cast<uint16_t>(bits - 64), false},
                    list);
}

bool AppendVector(unsigned bytes, PartList& list) {
  if (bytes == 0) return false;
  for (unsigned done = 0; done < bytes; done += 16) {
    const unsigned own = bytes - done < 16 ? bytes - done : 16;
    // Behind the first part, a part is 16 bytes of which not all need be used.
    const unsigned container = done != 0 || own > 8 ? 16 : own > 4 ? 8 : own > 2 ? 4 : 2;
    if (!AppendPart({true, static_cast<uint8_t>(container), static_cast<uint16_t>(own * 8), true},
                    list)) {
      return false;
    }
  }
  return true;
}

// Counts down `left` for the type and for each type that it contains. False if `left` is too small.
bool CountDown(const ir::Type* type, unsigned& left) {
  if (left == 0) return false;
  --left;
  if (!type->IsAggregate()) return true;
  for (const ir::Type* contained : type->contained) {
    if (!CountDown(contained, left)) return false;
  }
  return true;
}

// `left`: how many more types the whole type may consist of.
bool Append(const ir::Type* type, PartList& list, unsigned& left) {
  if (left == 0) return false;
  --left;
  switch (type->kind) {
    case ir::TypeKind::kInteger:
      return AppendInteger(type->number, list);
    case ir::TypeKind::kPointer:
      return type->number == 0 && AppendPart({false, 8, 64, false}, list);
    case ir::TypeKind::kHalf:
    case ir::TypeKind::kBFloat:
      return AppendPart({true, 2, 16, false}, list);
    case ir::TypeKind::kFloat:
      return AppendPart({true, 4, 32, false}, list);
    case ir::TypeKind::kDouble:
      return AppendPart({true, 8, 64, false}, list);
    case ir::TypeKind::kFp128:
      return AppendPart({true, 16, 128, false}, list);
    case ir::TypeKind::kX86Fp80:
      return AppendInteger(80, list);
    case ir::TypeKind::kFixedVector:
      return AppendVector(VectorBytes(*type), list);
    case ir::TypeKind::kStruct:
      for (const ir::Type* member : type->members()) {
        if (!Append(member, list, left)) return false;
      }
      return true;
    case ir::TypeKind::kArray:
      if (type->count == 0) return CountDown(type->element(), left);
      if (type->count > kMaxParts) return false;
      for (uint64_t i = 0; i < type->count; ++i) {
        if (!Append(type->element(), list, left)) return false;
      }
      return true;
    default:
      return false;
  }
}

void AppendOffsets(const ir::Type* type, uint64_t offset, PartOffsets& list) {
  if (type->IsStruct()) {
    for (size_t i = 0; i < type->members().size(); ++i) {
      AppendOffsets(type->members()[i], offset + type->offsets[i], list);
    }
  } else if (type->IsArray()) {
    for (uint64_t i = 0; i < type->count; ++i) {
      AppendOffsets(type->element(), offset + i * type->element()->alloc_size, list);
    }
  } else {
    const unsigned distance = type->IsVector() ? 16 : 8;
    const unsigned count = PartCount(type);
    for (unsigned i = 0; i < count; ++i) {
      list.offsets[list.count++] = static_cast<int32_t>(offset + distance * i);
    }
  }
}

}  // namespace

PartOffsets OffsetsOf(const ir::Type* type) {
  PartOffsets list;
  if (type->IsIntegerOrPointer() && PartCount(type) == 1) {
    list.count = 1;
    list.offsets[0] = 0;
  } else {
    AppendOffsets(type, 0, list);
  }
  return list;
}

PartList PartsOf(const ir::Type* type) {
  PartList list;
  // Most types are one of these.
  if (type->IsPointer() && type->number == 0) {
    list.count = 1;
    list.parts[0] = {false, 8, 64, false};
    return list;
  }
  if (type->IsInteger() && type->number <= 64) {
    const unsigned bits = type->number;
    list.count = 1;
    list.parts[0] = {false, static_cast<uint8_t>(ContainerBytes(bits)), static_cast<uint16_t>(bits),
                     false};
    return list;
  }
  // The offsets of parts have 31 bits.
  if (type->IsAggregate() && (!type->is_sized || type->alloc_size > INT32_MAX)) return list;
  unsigned left = kMostTypes;
  if (!Append(type, list, left)) list.count = 0;
  return list;
}

unsigned MaskLaneBits(uint64_t count) {
  return count <= 2 ? 64 : count <= 4 ? 32 : count <= 8 ? 16 : 8;
}

Contents ContentsOf(const ir::Type* type) {
  if (type->IsPointer()) return type->number == 0 ? Contents::kInt64 : Contents::kNone;
  if (type->IsFloat()) return Contents::kFloat;
  if (type->IsDouble()) return Contents::kDouble;
  if (type->IsInteger(8)) return Contents::kInt8;
  if (type->IsInteger(16)) return Contents::kInt16;
  if (type->IsInteger(32)) return Contents::kInt32;
  return type->IsInteger(64) ? Contents::kInt64 : Contents::kNone;
}

unsigned PartCountOfOthers(const ir::Type* type) {
  switch (type->kind) {
    case ir::TypeKind::kFloat:
    case ir::TypeKind::kDouble:
      return 1;
    case ir::TypeKind::kVoid:
      return 0;
    default:
      return PartsOf(type).count;
  }
}

bool HasMask(const ir::Type* type) {
  if (!type->IsAggregate()) return IsMask(type);
  return std::any_of(type->contained.begin(), type->contained.end(), HasMask);
}

}  // namespace firstcall::baseline
