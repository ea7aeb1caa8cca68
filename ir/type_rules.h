// Rules of LangRef about types, which instructions and constants must keep.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_IR_TYPE_RULES_H_
#define FIRSTCALL_IR_TYPE_RULES_H_

#include <cstdint>

#include "ir/fault.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::ir {

// Whether an instruction may compute with values of the type, or load and store them. Not so for
// labels, metadata and tokens, nor for what has no values at all.
inline bool HasPlainValues(const Type& type) {
  constexpr auto bit = [](TypeKind kind) { return uint32_t{1} << static_cast<int>(kind); };
  constexpr uint32_t kOthers = bit(TypeKind::kVoid) | bit(TypeKind::kLabel) |
                               bit(TypeKind::kMetadata) | bit(TypeKind::kToken) |
                               bit(TypeKind::kFunction) | bit(TypeKind::kOpaqueStruct);
  return (kOthers >> static_cast<int>(type.kind) & 1) == 0;
}

// Whether both types are vectors of as many elements, or none is a vector.
inline bool HaveSameShape(const Type& a, const Type& b) {
  if (!a.IsVector()) return !b.IsVector();
  return a.kind == b.kind && a.count == b.count;
}

// Whether the type is an integer or a vector of integers; a floating-point number or a vector of
// such numbers; a pointer or a vector of pointers.
inline bool HasIntegers(const Type& type) { return type.scalar()->IsInteger(); }
inline bool HasFloats(const Type& type) { return type.scalar()->IsFloatingPoint(); }
inline bool HasPointers(const Type& type) { return type.scalar()->IsPointer(); }

// Whether `type` is the type of the result of comparisons of values of `operand`: an i1 for each.
inline bool IsTruthOf(const Type& type, const Type& operand) {
  return type.scalar()->IsInteger(1) && HaveSameShape(type, operand);
}

// Whether values of the type may be in memory: the type has a layout, or only LLVM knows the
// layout.
Fault CheckHasLayout(const Type& type);

// A cast (ir::IsCast) of a value of type `from` to the type `to`.
Fault CheckCast(Opcode opcode, const Type& from, const Type& to);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_TYPE_RULES_H_
