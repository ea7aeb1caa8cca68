#include "ir/check_memory.h"

#include <cstdint>

#include "ir/opcode.h"
#include "ir/type.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

// The logarithm of the largest alignment of IR, in bytes.
constexpr uint8_t kMostOfIr = 32;

Fault CheckAlignment(const Instruction& access) {
  if (access.alignment_log <= kMostAlignmentLog) return {};
  return access.alignment_log <= kMostOfIr ? Fault::Unknown("an alignment of 2^31 bytes or more")
                                           : Fault::Invalid("the alignment is too large");
}

// Of an atomic access to a value of `type`.
Fault CheckAtomicSize(const Type& type) {
  const uint64_t bits = type.bit_size;
  if (bits < 8 || (bits & (bits - 1)) != 0) {
    return Fault::Invalid("the size of the atomic access is no power of two, in bytes");
  }
  return {};
}

// Of a load or a store of `type`.
Fault CheckAtomicAccess(const Instruction& access, const Type& type) {
  const Ordering ordering = access.atomic_ordering();
  const Ordering of_others =
      access.opcode == Opcode::kLoad ? Ordering::kRelease : Ordering::kAcquire;
  if (ordering > Ordering::kSequentiallyConsistent || ordering == of_others ||
      ordering == Ordering::kAcquireRelease) {
    return Fault::Invalid("an access of this kind cannot have the ordering");
  }
  if (type.IsVector()) return Fault::Unknown("an atomic access to a vector");
  if (!type.IsIntegerOrPointer() && !type.IsFloatingPoint()) {
    return Fault::Invalid("the atomic access is to neither an integer, a pointer nor a float");
  }
  return CheckAtomicSize(type);
}

// Of an instruction that reads memory and writes to it at once.
bool MayUpdateWith(Ordering ordering) {
  return ordering >= Ordering::kMonotonic && ordering <= Ordering::kSequentiallyConsistent;
}

Fault CheckUpdatedType(const Type& type, AtomicOperation operation) {
  const auto wrong = [] { return Fault::Invalid("the operation is none of values of this type"); };
  switch (operation) {
    case AtomicOperation::kXchg:
      if (!type.IsIntegerOrPointer() && !type.IsFloatingPoint()) return wrong();
      return {};
    case AtomicOperation::kFAdd:
    case AtomicOperation::kFSub:
    case AtomicOperation::kFMax:
    case AtomicOperation::kFMin:
    case AtomicOperation::kFMaximum:
    case AtomicOperation::kFMinimum:
      if (!HasFloats(type) || type.kind == TypeKind::kScalableVector) return wrong();
      return {};
    default:
      if (operation > AtomicOperation::kFMinimum)
        return Fault::Unknown("an operation of this kind");
      if (!type.IsInteger()) return wrong();
      return {};
  }
}

}  // namespace

Fault CheckUnusualAccess(const Instruction& access, const Type& pointer, const Type& type) {
  if (!pointer.IsPointer()) return Fault::Invalid("the address is no pointer");
  if (Fault fault = CheckHasLayout(type)) return fault;
  if (Fault fault = CheckAlignment(access)) return fault;
  return access.IsAtomic() ? CheckAtomicAccess(access, type) : Fault();
}

Fault CheckAlloca(const Instruction& alloca, absl::Span<const Operand> operands,
                  const OperandScope& scope) {
  if (!alloca.type->IsPointer()) return Fault::Invalid("the result is no pointer");
  if (!scope.TypeOf(operands[0])->IsInteger()) {
    return Fault::Invalid("the number of elements is no integer");
  }
  if (!alloca.source_type->is_sized) {
    if (Fault fault = CheckHasLayout(*alloca.source_type)) return fault;
  }
  if (alloca.is_swift_error && !alloca.source_type->IsPointer()) {
    return Fault::Invalid("a swifterror variable is no pointer");
  }
  return CheckAlignment(alloca);
}

Fault CheckFence(const Instruction& fence) {
  const Ordering ordering = fence.atomic_ordering();
  return ordering >= Ordering::kAcquire && ordering <= Ordering::kSequentiallyConsistent
             ? Fault()
             : Fault::Invalid("a fence cannot have the ordering");
}

Fault CheckCompareExchange(const Instruction& exchange, absl::Span<const Operand> operands,
                           const OperandScope& scope) {
  if (!scope.TypeOf(operands[0])->IsPointer()) return Fault::Invalid("the address is no pointer");
  const Type& type = *scope.TypeOf(operands[1]);
  if (!type.IsIntegerOrPointer()) {
    return Fault::Invalid("the operands are neither integers nor pointers");
  }
  if (scope.TypeOf(operands[2]) != &type) {
    return Fault::Invalid("the operands have different types");
  }
  const Type& result = *exchange.type;
  if (!result.IsStruct() || result.is_packed || result.members().size() != 2 ||
      result.members()[0] != &type || !result.members()[1]->IsInteger(1)) {
    return Fault::Invalid("the result is no structure of the value and an i1");
  }
  const auto failure = static_cast<Ordering>(exchange.failure_ordering);
  if (!MayUpdateWith(exchange.atomic_ordering()) || !MayUpdateWith(failure) ||
      failure == Ordering::kRelease || failure == Ordering::kAcquireRelease) {
    return Fault::Invalid("an access of this kind cannot have the orderings");
  }
  if (Fault fault = CheckAlignment(exchange)) return fault;
  return CheckAtomicSize(type);
}

Fault CheckAtomicUpdate(const Instruction& update, absl::Span<const Operand> operands,
                        const OperandScope& scope) {
  if (!scope.TypeOf(operands[0])->IsPointer()) return Fault::Invalid("the address is no pointer");
  const Type& type = *scope.TypeOf(operands[1]);
  if (update.type != &type) return Fault::Invalid("the result has another type than the operand");
  if (Fault fault = CheckUpdatedType(type, update.operation())) return fault;
  if (!MayUpdateWith(update.atomic_ordering())) {
    return Fault::Invalid("an access of this kind cannot have the ordering");
  }
  if (Fault fault = CheckAlignment(update)) return fault;
  return CheckAtomicSize(type);
}

Fault CheckVariadicArgument(const Instruction& argument, absl::Span<const Operand> operands,
                            const OperandScope& scope) {
  if (!scope.TypeOf(operands[0])->IsPointer()) return Fault::Invalid("the list is no pointer");
  return HasPlainValues(*argument.type) ? Fault()
                                        : Fault::Invalid("no argument can have this type");
}

}  // namespace firstcall::ir
