#include "ir/check_operation.h"

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/constant.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

bool ComputesWithFloats(Opcode opcode) {
  switch (opcode) {
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFRem:
      return true;
    default:
      return false;
  }
}

bool IsOfIntegers(Predicate predicate) {
  return predicate >= Predicate::kIcmpEq && predicate <= Predicate::kIcmpSle;
}

// Element number `number` of data that are numbers of 32 bits.
uint32_t NumberIn(absl::string_view data, size_t number) {
  uint32_t value = 0;  // Its lowest byte is the first.
  for (size_t i = 4; i-- > 0;) value = value << 8 | static_cast<uint8_t>(data[4 * number + i]);
  return value;
}

// Sets `number` to the one number that all elements of `vector`, a vector of i32, are. False if
// they are not all the same number.
bool FindSplat(const Constant& vector, const OperandScope& scope, uint64_t& number) {
  switch (vector.kind) {
    case ConstantKind::kNull:
      number = 0;
      return true;
    case ConstantKind::kData:
      number = NumberIn(vector.data(), 0);
      for (size_t i = 1; i < vector.type->count; ++i) {
        if (NumberIn(vector.data(), i) != number) return false;
      }
      return true;
    case ConstantKind::kAggregate:
      for (Operand operand : vector.operands()) {
        const Constant& element = *scope.ConstantOf(operand);
        if (!element.IsInteger()) return false;
        if (operand != vector.operands()[0] && element.unsigned_bits() != number) return false;
        number = element.unsigned_bits();
      }
      return !vector.operands().empty();
    default:
      return false;
  }
}

// Sets `member` to the member's number that `index` is: a constant i32, or a vector of such.
Fault FindMember(Operand index, const Type& structure, const OperandScope& scope,
                 uint64_t& member) {
  const Constant* const constant = scope.ConstantOf(index);
  if (constant == nullptr || !constant->type->scalar()->IsInteger(32)) {
    return Fault::Invalid("the index of a structure's member is no constant i32");
  }
  if (constant->IsInteger()) {
    member = constant->unsigned_bits();
  } else if (!constant->type->IsFixedVector() || !FindSplat(*constant, scope, member)) {
    return Fault::Invalid("the index of a structure's member is not one number");
  }
  if (member >= structure.members().size()) {
    return Fault::Invalid("the index of a structure's member is too large");
  }
  return {};
}

// Whether this is a valid getelementptr without vectors among its operands, as most are.
bool IsScalarElementAddress(const Type& result, const Type& source,
                            absl::Span<const Operand> operands, const OperandScope& scope) {
  if (!result.IsPointer() || scope.TypeOf(operands[0]) != &result || !source.is_sized) {
    return false;
  }
  if (operands.size() == 1) return true;
  if (!scope.TypeOf(operands[1])->IsInteger()) return false;
  const Type* indexed = &source;
  for (Operand operand : operands.subspan(2)) {
    if (indexed->IsStruct()) {
      const Constant* const index = scope.ConstantOf(operand);
      // Of a negative number, bits() is large.
      if (index == nullptr || !index->IsInteger() || index->type->number != 32 ||
          index->bits() >= indexed->members().size()) {
        return false;
      }
      indexed = indexed->members()[index->bits()];
    } else if (indexed->IsArray()) {
      if (!scope.TypeOf(operand)->IsInteger()) return false;
      indexed = indexed->element();
    } else {
      return false;
    }
  }
  return true;
}

Fault CheckExtractElement(const Type& result, const Type& vector, const Type& index) {
  if (!vector.IsVector()) return Fault::Invalid("the first operand is no vector");
  if (&result != vector.element()) return Fault::Invalid("the result is no element of the vector");
  if (!index.IsInteger()) return Fault::Invalid("the index is no integer");
  return {};
}

// Of a shuffle of two vectors of type `source`.
Fault CheckMask(const Constant& mask, const Type& source, const OperandScope& scope) {
  const auto check_lane = [&](uint64_t lane) {
    return lane < 2 * source.count ? Fault()
                                   : Fault::Invalid("the mask has the number of no element");
  };
  switch (mask.kind) {
    case ConstantKind::kNull:
    case ConstantKind::kUndef:
    case ConstantKind::kPoison:
      return {};
    case ConstantKind::kData:
      for (size_t i = 0; i < mask.type->count; ++i) {
        if (Fault fault = check_lane(NumberIn(mask.data(), i))) return fault;
      }
      return {};
    case ConstantKind::kAggregate:
      for (Operand operand : mask.operands()) {
        const Constant& element = *scope.ConstantOf(operand);
        if (element.IsUndefined()) continue;
        if (!element.IsInteger()) return Fault::Invalid("an element of the mask is no number");
        if (Fault fault = check_lane(element.unsigned_bits())) return fault;
      }
      return {};
    default:
      return Fault::Unknown("a mask of this kind");
  }
}

Fault CheckShuffle(const Type& result, absl::Span<const Operand> operands,
                   const OperandScope& scope) {
  const Type& source = *scope.TypeOf(operands[0]);
  if (!source.IsVector() || scope.TypeOf(operands[1]) != &source) {
    return Fault::Invalid("the operands are not two vectors of the same type");
  }
  const Constant* const mask = scope.ConstantOf(operands[2]);
  if (mask == nullptr || !mask->type->IsVector() || !mask->type->element()->IsInteger(32) ||
      mask->type->kind != source.kind) {
    return Fault::Invalid("the mask is no constant vector of i32");
  }
  if (!result.IsVector() || result.element() != source.element() ||
      !HaveSameShape(result, *mask->type)) {
    return Fault::Invalid("the result is no vector of the operands' elements, one for each number");
  }
  return CheckMask(*mask, source, scope);
}

}  // namespace

Fault CheckBinary(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                  const OperandScope& scope) {
  const Type* const type = scope.TypeOf(operands[0]);
  if (type != scope.TypeOf(operands[1])) {
    return Fault::Invalid("the operands have different types");
  }
  if (type != &result) return Fault::Invalid("the result has another type than the operands");
  if (ComputesWithFloats(opcode)) {
    if (!HasFloats(result)) return Fault::Invalid("the operands are no floating-point numbers");
  } else if (!HasIntegers(result)) {
    return Fault::Invalid("the operands are no integers");
  }
  return {};
}

Fault CheckVectorOperation(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                           const OperandScope& scope) {
  const Type& vector = *scope.TypeOf(operands[0]);
  if (opcode == Opcode::kExtractElement) {
    return CheckExtractElement(result, vector, *scope.TypeOf(operands[1]));
  }
  if (opcode == Opcode::kShuffleVector) return CheckShuffle(result, operands, scope);
  if (&result != &vector) return Fault::Invalid("the result has another type than the vector");
  return CheckExtractElement(*scope.TypeOf(operands[1]), vector, *scope.TypeOf(operands[2]));
}

Fault CheckElementAddress(const Type& result, const Type& source,
                          absl::Span<const Operand> operands, const OperandScope& scope) {
  if (IsScalarElementAddress(result, source, operands, scope)) return {};
  const Type& base = *scope.TypeOf(operands[0]);
  if (!HasPointers(base)) return Fault::Invalid("the base is no pointer");
  if (Fault fault = CheckHasLayout(source)) return fault;
  const Type* vector = base.IsVector() ? &base : nullptr;  // Any of the operands' that is one.
  const Type* indexed = &source;
  for (size_t i = 1; i < operands.size(); ++i) {
    const Type& index = *scope.TypeOf(operands[i]);
    if (!HasIntegers(index)) return Fault::Invalid("an index is no integer");
    if (index.IsVector()) {
      if (vector != nullptr && !HaveSameShape(index, *vector)) {
        return Fault::Invalid("the operands are vectors of different sizes");
      }
      vector = &index;
    }
    if (i == 1) continue;
    if (indexed->IsStruct()) {
      uint64_t member = 0;
      if (Fault fault = FindMember(operands[i], *indexed, scope, member)) return fault;
      indexed = indexed->members()[member];
    } else if (indexed->IsArray() || indexed->IsVector()) {
      indexed = indexed->element();
    } else {
      return Fault::Invalid("an index stands for what has no members");
    }
  }
  const bool is_right = vector == nullptr
                            ? &result == &base
                            : HaveSameShape(result, *vector) && result.scalar() == base.scalar();
  return is_right ? Fault() : Fault::Invalid("the result has a wrong type");
}

Fault CheckComparison(const Instruction& comparison, absl::Span<const Operand> operands,
                      const OperandScope& scope) {
  const Type& type = *scope.TypeOf(operands[0]);
  if (&type != scope.TypeOf(operands[1])) {
    return Fault::Invalid("the operands have different types");
  }
  const Predicate predicate = comparison.predicate();
  // Most compare two integers or two pointers.
  if (type.IsIntegerOrPointer() && comparison.type->IsInteger(1) &&
      comparison.opcode == Opcode::kICmp && IsOfIntegers(predicate)) {
    return {};
  }
  if (!IsTruthOf(*comparison.type, type)) return Fault::Invalid("the result has a wrong type");
  if (comparison.opcode == Opcode::kICmp) {
    if (!type.scalar()->IsIntegerOrPointer()) {
      return Fault::Invalid("the operands are neither integers nor pointers");
    }
    if (!IsOfIntegers(predicate)) {
      return Fault::Invalid("the predicate is none of integers");
    }
  } else {
    if (!HasFloats(type)) return Fault::Invalid("the operands are no floating-point numbers");
    if (predicate > Predicate::kTrue) {
      return Fault::Invalid("the predicate is none of floating-point numbers");
    }
  }
  return {};
}

Fault CheckSelect(const Type& result, absl::Span<const Operand> operands,
                  const OperandScope& scope) {
  if (scope.TypeOf(operands[1]) != &result || scope.TypeOf(operands[2]) != &result) {
    return Fault::Invalid("a value to choose has another type than the result");
  }
  if (!HasPlainValues(result)) return Fault::Invalid("values of this type cannot be chosen");
  const Type& condition = *scope.TypeOf(operands[0]);
  if (condition.IsInteger(1)) return {};
  if (!condition.IsVector() || !IsTruthOf(condition, result)) {
    return Fault::Invalid("the condition is no i1, nor a vector of i1 for the values' elements");
  }
  return {};
}

Fault CheckMemberAccess(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                        absl::Span<const uint32_t> indices, const OperandScope& scope) {
  const Type* const aggregate = scope.TypeOf(operands[0]);
  if (indices.empty()) return Fault::Invalid("there is no index");
  const Type* type = aggregate;
  for (uint32_t index : indices) {
    const uint64_t count = type->IsStruct()  ? type->members().size()
                           : type->IsArray() ? type->count
                                             : 0;
    if (index >= count) return Fault::Invalid("an index is that of no member");
    type = type->IsStruct() ? type->members()[index] : type->element();
  }
  if (opcode == Opcode::kExtractValue) {
    return type == &result ? Fault()
                           : Fault::Invalid("the result has another type than the member");
  }
  if (type != scope.TypeOf(operands[1])) {
    return Fault::Invalid("the value has another type than the member");
  }
  return aggregate == &result ? Fault()
                              : Fault::Invalid("the result has another type than the aggregate");
}

}  // namespace firstcall::ir
