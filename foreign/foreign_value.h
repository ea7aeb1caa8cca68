// Values whose types are known only at run time: the arguments and results of Engine::Call and
// CallForeign.
//
// Plain values. Tested in tests/foreign/foreign_call_test.cc.

#ifndef FIRSTCALL_FOREIGN_FOREIGN_VALUE_H_
#define FIRSTCALL_FOREIGN_FOREIGN_VALUE_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace firstcall {

// A signed and an unsigned integer of one width have the same type in IR. The kind decides how a
// narrow integer is extended.
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
  kStruct,  // Laid out and passed by value as in C.
};

struct ForeignType {
  ForeignType() = default;
  ForeignType(ForeignKind type_kind) : kind(type_kind) {}
  explicit ForeignType(std::vector<ForeignType> struct_fields)
      : kind(ForeignKind::kStruct), fields(std::move(struct_fields)) {}

  ForeignKind kind = ForeignKind::kVoid;
  std::vector<ForeignType> fields;  // The fields of a struct, in order. At least one.
};

// A type, and the address of a value of this type in C's layout. The address is not null, unless
// the type is void.
struct ForeignValue {
  ForeignType type;
  void* bytes = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_FOREIGN_FOREIGN_VALUE_H_
