// The types of LLVM IR, with their layout in memory.
//
// Plain values that a Module owns. Thread-safe once the module is complete.

#ifndef FIRSTCALL_IR_TYPE_H_
#define FIRSTCALL_IR_TYPE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace firstcall::ir {

enum class TypeKind : uint8_t {
  kVoid,
  kHalf,
  kBFloat,
  kFloat,
  kDouble,
  kX86Fp80,
  kFp128,
  kPpcFp128,
  kX86Mmx,
  kX86Amx,
  kLabel,
  kMetadata,
  kToken,
  kInteger,
  kPointer,
  kFunction,
  kStruct,
  kArray,
  kFixedVector,
  kScalableVector,
  kTargetExtension,
  kOpaqueStruct,
};

// Two types of a module are the same type exactly if they are the same object. (A reader of bytes
// that list a type twice may make two objects of the type; what then looks like a wrong type is
// refused.)
class Type {
 public:
  TypeKind kind = TypeKind::kVoid;
  bool is_packed = false;    // A structure without padding.
  bool is_literal = true;    // A structure without a name of its own.
  bool is_variadic = false;  // A function with further arguments.
  // Whether the type has a layout: the four fields that follow hold then. Never true of functions,
  // labels, metadata, tokens, scalable vectors and target extension types.
  bool is_sized = false;
  uint32_t alignment = 1;   // The ABI's, in bytes; a power of two.
  uint64_t store_size = 0;  // Bytes that a store writes.
  uint64_t alloc_size = 0;  // Bytes from one element of an array to the next.
  uint64_t bit_size = 0;
  // The width of an integer, in bits; the address space of a pointer.
  uint32_t number = 0;
  // The number of elements of an array or a vector; the least one of a scalable vector.
  uint64_t count = 0;
  // A structure's members; the element of an array or a vector; the result of a function, and then
  // its parameters.
  absl::Span<const Type* const> contained;
  // Of a structure with a layout: the offset of each member, in bytes.
  absl::Span<const uint64_t> offsets;
  // The place of the type among those of its module, from 0.
  uint32_t index = 0;

  bool IsVoid() const { return kind == TypeKind::kVoid; }
  bool IsInteger() const { return kind == TypeKind::kInteger; }
  bool IsInteger(uint32_t bits) const { return kind == TypeKind::kInteger && number == bits; }
  bool IsPointer() const { return kind == TypeKind::kPointer; }
  bool IsIntegerOrPointer() const { return IsInteger() || IsPointer(); }
  bool IsFloat() const { return kind == TypeKind::kFloat; }
  bool IsDouble() const { return kind == TypeKind::kDouble; }
  // Whether values are floating-point numbers, of any format.
  bool IsFloatingPoint() const { return kind >= TypeKind::kHalf && kind <= TypeKind::kPpcFp128; }
  bool IsStruct() const { return kind == TypeKind::kStruct; }
  bool IsArray() const { return kind == TypeKind::kArray; }
  bool IsAggregate() const { return IsStruct() || IsArray(); }
  bool IsFixedVector() const { return kind == TypeKind::kFixedVector; }
  bool IsVector() const { return IsFixedVector() || kind == TypeKind::kScalableVector; }
  bool IsFunction() const { return kind == TypeKind::kFunction; }
  bool IsToken() const { return kind == TypeKind::kToken; }
  // Whether instructions may have operands and results of the type (LLVM: "first class").
  bool IsFirstClass() const {
    return kind != TypeKind::kVoid && kind != TypeKind::kFunction &&
           kind != TypeKind::kOpaqueStruct;
  }

  // The element of an array or a vector.
  const Type* element() const { return contained[0]; }
  // Of an array or a vector with a layout: bytes from one element to the next, as getelementptr
  // counts them.
  uint64_t element_stride() const {
    return IsVector() ? element()->store_size : element()->alloc_size;
  }
  // The element of a vector; the type itself if it is no vector.
  const Type* scalar() const { return IsVector() ? contained[0] : this; }
  const Type* result() const { return contained[0]; }
  absl::Span<const Type* const> parameters() const { return contained.subspan(1); }
  absl::Span<const Type* const> members() const { return contained; }
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_TYPE_H_
