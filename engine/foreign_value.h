// Values whose types are known at run time only, as they are given to a function that is called
// from outside (Engine::Call, CallForeign).
//
// Plain values.

#ifndef FIRSTCALL_ENGINE_FOREIGN_VALUE_H_
#define FIRSTCALL_ENGINE_FOREIGN_VALUE_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace firstcall {

// The signed and the unsigned integer of one width are one type in IR; which it is decides how a
// narrow one is extended.
enum class ForeignKind : uint8_t {
  kVoid,  // For results only.
  kBool,  // One byte, 0 or 1; i1.
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kInt128,  // 16 bytes, aligned to 16. Not in a struct.
  kFloat,
  kDouble,
  kPointer,
  kStruct,  // As C lays it out and passes it by value.
};

struct ForeignType {
  ForeignType() = default;
  ForeignType(ForeignKind type_kind) : kind(type_kind) {}
  explicit ForeignType(std::vector<ForeignType> struct_fields)
      : kind(ForeignKind::kStruct), fields(std::move(struct_fields)) {}

  ForeignKind kind = ForeignKind::kVoid;
  std::vector<ForeignType> fields;  // Of a struct, in order; at least one.
};

// A type and where a value of it is, in the layout C gives it; not null, unless the
// type is void.
struct ForeignValue {
  ForeignType type;
  void* bytes = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FOREIGN_VALUE_H_
