#include "ir/type_rules.h"

#include "ir/scalar_bits.h"

namespace firstcall::ir {
namespace {

Fault WrongKind() {
  return Fault::Invalid("the operand or the result has a type that such a cast does not have");
}
Fault WrongShape() {
  return Fault::Invalid("the operand and the result have different numbers of elements");
}

// A cast from a narrower to a wider type of the same kind, or from a wider to a narrower one.
Fault CheckWidths(const Type& narrow, const Type& wide, const char* text) {
  if (narrow.IsInteger() && wide.IsInteger() && narrow.number < wide.number) return {};
  if (!HaveSameShape(narrow, wide)) return WrongShape();
  if (ScalarBits(*narrow.scalar()) >= ScalarBits(*wide.scalar())) return Fault::Invalid(text);
  return {};
}

Fault CheckTruncation(const Type& from, const Type& to) {
  return CheckWidths(to, from, "the result is not narrower than the operand");
}
Fault CheckExtension(const Type& from, const Type& to) {
  return CheckWidths(from, to, "the result is not wider than the operand");
}

// A vector of one pointer counts as a pointer.
Fault CheckPointerBitCast(const Type& from, const Type& to) {
  if (from.scalar()->number != to.scalar()->number) {
    return Fault::Invalid("the operand and the result are pointers of different address spaces");
  }
  if (from.IsVector() && to.IsVector()) {
    return HaveSameShape(from, to) ? Fault() : WrongShape();
  }
  const Type& vector = from.IsVector() ? from : to;
  const bool is_single = !vector.IsVector() || (vector.IsFixedVector() && vector.count == 1);
  return is_single ? Fault() : WrongShape();
}

Fault CheckBitCast(const Type& from, const Type& to) {
  if (!HasPlainValues(from) || !HasPlainValues(to) || from.IsAggregate() || to.IsAggregate()) {
    return WrongKind();
  }
  if (HasPointers(from) != HasPointers(to)) return WrongKind();
  if (HasPointers(from)) return CheckPointerBitCast(from, to);
  const auto width = [](const Type& type) {
    return ScalarBits(*type.scalar()) * (type.IsVector() ? type.count : 1);
  };
  const auto is_scalable = [](const Type& type) { return type.kind == TypeKind::kScalableVector; };
  if (width(from) == 0 || width(to) == 0) return Fault::Unknown("a bitcast of such types");
  if (width(from) != width(to) || is_scalable(from) != is_scalable(to)) {
    return Fault::Invalid("the operand and the result have different widths");
  }
  return {};
}

// Casts between types of different kinds, element by element.
Fault CheckElements(bool has_right_kinds, const Type& from, const Type& to) {
  if (!has_right_kinds) return WrongKind();
  return HaveSameShape(from, to) ? Fault() : WrongShape();
}

}  // namespace

Fault CheckHasLayout(const Type& type) {
  if (type.is_sized) return {};
  switch (type.kind) {
    case TypeKind::kScalableVector:
    case TypeKind::kTargetExtension:
      return {};
    // Too large, or with members that only LLVM can lay out.
    case TypeKind::kStruct:
    case TypeKind::kArray:
    case TypeKind::kFixedVector:
      return Fault::Unknown("the type in memory has no layout that is known");
    default:
      return Fault::Invalid("the type in memory has no size");
  }
}

Fault CheckCast(Opcode opcode, const Type& from, const Type& to) {
  switch (opcode) {
    case Opcode::kTrunc:
      if (!HasIntegers(from) || !HasIntegers(to)) return WrongKind();
      return CheckTruncation(from, to);
    case Opcode::kZExt:
    case Opcode::kSExt:
      if (!HasIntegers(from) || !HasIntegers(to)) return WrongKind();
      return CheckExtension(from, to);
    case Opcode::kFPTrunc:
      if (!HasFloats(from) || !HasFloats(to)) return WrongKind();
      return CheckTruncation(from, to);
    case Opcode::kFPExt:
      if (!HasFloats(from) || !HasFloats(to)) return WrongKind();
      return CheckExtension(from, to);
    case Opcode::kFPToUI:
    case Opcode::kFPToSI:
      return CheckElements(HasFloats(from) && HasIntegers(to), from, to);
    case Opcode::kUIToFP:
    case Opcode::kSIToFP:
      return CheckElements(HasIntegers(from) && HasFloats(to), from, to);
    case Opcode::kPtrToInt:
      return CheckElements(HasPointers(from) && HasIntegers(to), from, to);
    case Opcode::kIntToPtr:
      return CheckElements(HasIntegers(from) && HasPointers(to), from, to);
    case Opcode::kAddrSpaceCast:
      if (HasPointers(from) && HasPointers(to) && from.scalar()->number == to.scalar()->number) {
        return Fault::Invalid("the operand and the result have the same address space");
      }
      return CheckElements(HasPointers(from) && HasPointers(to), from, to);
    default:
      return CheckBitCast(from, to);
  }
}

}  // namespace firstcall::ir
