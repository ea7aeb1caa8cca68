#include "foreign/foreign_layout.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace firstcall {

size_t AlignUp(size_t size, size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

unsigned BitsOf(ForeignKind kind) {
  switch (kind) {
    case ForeignKind::kBool:
      return 1;
    case ForeignKind::kInt8:
    case ForeignKind::kUint8:
      return 8;
    case ForeignKind::kInt16:
    case ForeignKind::kUint16:
      return 16;
    case ForeignKind::kInt32:
    case ForeignKind::kUint32:
      return 32;
    case ForeignKind::kInt64:
    case ForeignKind::kUint64:
      return 64;
    case ForeignKind::kInt128:
      return 128;
    default:
      return 0;
  }
}

bool IsSigned(ForeignKind kind) {
  return kind == ForeignKind::kInt8 || kind == ForeignKind::kInt16 || kind == ForeignKind::kInt32 ||
         kind == ForeignKind::kInt64;
}

Layout LayoutOf(const ForeignType& type) {
  switch (type.kind) {
    case ForeignKind::kVoid:
      return {};
    case ForeignKind::kFloat:
      return {4, 4};
    case ForeignKind::kDouble:
    case ForeignKind::kPointer:
      return {8, 8};
    case ForeignKind::kStruct: {
      Layout whole;
      for (const ForeignType& field : type.fields) {
        const Layout layout = LayoutOf(field);
        whole.size = AlignUp(whole.size, layout.alignment) + layout.size;
        whole.alignment = std::max(whole.alignment, layout.alignment);
      }
      whole.size = AlignUp(whole.size, whole.alignment);
      return whole;
    }
    default: {
      const size_t size = std::max(BitsOf(type.kind) / 8, 1u);
      return {size, size};
    }
  }
}

uint64_t Extend(uint64_t value, unsigned bits, bool is_signed) {
  if (bits >= 64) return value;
  const unsigned unused = 64 - bits;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused)
                   : value << unused >> unused;
}

std::string NameOf(const ForeignType& type) {
  switch (type.kind) {
    case ForeignKind::kVoid:
      return "void";
    case ForeignKind::kBool:
      return "bool";
    case ForeignKind::kFloat:
      return "float";
    case ForeignKind::kDouble:
      return "double";
    case ForeignKind::kPointer:
      return "pointer";
    case ForeignKind::kStruct: {
      std::string name = "struct {";
      for (const ForeignType& field : type.fields) {
        absl::StrAppend(&name, &field == &type.fields.front() ? "" : ", ", NameOf(field));
      }
      return name + "}";
    }
    default:
      return absl::StrCat(IsSigned(type.kind) || type.kind == ForeignKind::kInt128 ? "int" : "uint",
                          BitsOf(type.kind));
  }
}

}  // namespace firstcall
