// Compares values with the parameters of an IR function.

#include "foreign/function_shape.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "foreign/argument_registers.h"
#include "foreign/foreign_layout.h"

namespace firstcall {

// For a scalar.
bool FunctionShape::Matches(const ForeignType& type, const Slot& slot) {
  if (slot.array > 1) return false;
  switch (type.kind) {
    case ForeignKind::kFloat:
      return slot.kind == Slot::Kind::kFloat;
    case ForeignKind::kDouble:
      return slot.kind == Slot::Kind::kDouble;
    case ForeignKind::kPointer:
      return slot.kind == Slot::Kind::kPointer;
    case ForeignKind::kVoid:
    case ForeignKind::kStruct:
      return false;
    default: {
      // The type must be the narrowest one that the IR integer fits into.
      const unsigned bits = BitsOf(type.kind);
      if (slot.kind != Slot::Kind::kInteger || slot.integer.bits > bits) return false;
      if (bits == 1 || bits == 128) return slot.integer.bits == bits;
      return slot.integer.bits > (bits == 8 ? 1 : bits / 2);
    }
  }
}

// Front ends write a 128-bit integer as i128, or, where any two registers may hold it, as two i64.
bool FunctionShape::IsInParts(const ForeignType& type, absl::Span<const Slot> slots) {
  if (type.kind != ForeignKind::kInt128) return type.kind == ForeignKind::kStruct;
  return kIsX8664 && !slots.empty() && slots.front().kind == Slot::Kind::kInteger &&
         slots.front().integer.bits == 64;
}

// For a struct: compares each of its parts with the slot that holds it.
bool FunctionShape::Matches(const RegisterParts& parts, absl::Span<const Slot> slots) {
  if (parts.count != slots.size()) return false;
  for (size_t i = 0; i < parts.count; ++i) {
    const Slot& slot = slots[i];
    if (slot.array != 0 && slot.array != parts.count) return false;
    const size_t bits = 8 * parts.used[i];
    switch (slot.kind) {
      case Slot::Kind::kInteger:
        if (parts.is_vector[i] || slot.integer.bits < bits || slot.integer.bits > 64) return false;
        break;
      case Slot::Kind::kPointer:
        if (!parts.is_pointer[i]) return false;
        break;
      case Slot::Kind::kFloat:
        if (!parts.is_vector[i] || bits != 32) return false;
        break;
      case Slot::Kind::kDouble:
      case Slot::Kind::kVector:
        if (!parts.is_vector[i] || bits != 64) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

absl::Status FunctionShape::Mismatch(const ForeignType& type, const Slot& slot) {
  return absl::InvalidArgumentError(
      absl::StrCat("is ", NameOf(type), ", but the function takes ", slot.name));
}

absl::Status FunctionShape::PlanResult(const ForeignType& type, CallPlan& plan) const {
  const auto wrong = [&]() {
    std::string returned;
    for (const Slot& slot : signature_.results) {
      absl::StrAppend(&returned, returned.empty() ? "" : ", ", slot.name);
    }
    return absl::InvalidArgumentError(absl::StrCat("the result is asked for as ", NameOf(type),
                                                   ", but the function returns ",
                                                   returned.empty() ? "void" : returned));
  };
  if (type.kind == ForeignKind::kVoid) {
    return signature_.results.empty() ? absl::OkStatus() : wrong();
  }
  if (!IsInParts(type, signature_.results)) {
    if (signature_.results.size() != 1 || !Matches(type, signature_.results.front()))
      return wrong();
    plan.result.bits = signature_.results.front().integer.bits;
    return absl::OkStatus();
  }
  const Layout layout = LayoutOf(type);
  const std::optional<RegisterParts> parts = RegisterPartsOf(type);
  const bool is_right = signature_.has_hidden_result
                            ? !parts && layout.size == signature_.results.front().bytes
                            : parts && Matches(*parts, signature_.results);
  return is_right ? absl::OkStatus() : wrong();
}

// The state of a plan that is being made.
struct FunctionShape::Cursor {
  CallPlan plan;
  ArgumentRegisters used;
  size_t next = 0;  // Index into signature_.parameters.
};

// For a struct, or a 128-bit integer in two registers.
absl::Status FunctionShape::PlanParts(const ForeignType& type, const RegisterParts& parts,
                                      Cursor& cursor) const {
  const Slot& slot = signature_.parameters[cursor.next];
  const bool fits = cursor.used.HasRoomFor(parts);
  cursor.used.Take(parts);
  if (slot.kind == Slot::Kind::kMemory) {
    ++cursor.next;
    if (slot.bytes != LayoutOf(type).size) return Mismatch(type, slot);
    if (!fits && !kPassesLargeValuesByAddress) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat("is taken as ", slot.name, ", where C passes ",
                                                 NameOf(type), " in registers"));
  }
  const auto slots = absl::MakeConstSpan(signature_.parameters).subspan(cursor.next, parts.count);
  if (!Matches(parts, slots)) return Mismatch(type, slot);
  cursor.next += parts.count;
  if (fits || parts.count == 1 || slot.array != 0) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("is taken in parts, where C passes ", NameOf(type), " in memory"));
}

// For a value that gets no registers.
absl::Status FunctionShape::PlanLarge(const ForeignType& type, Cursor& cursor) const {
  const Slot& slot = signature_.parameters[cursor.next++];
  const Layout layout = LayoutOf(type);
  if (kPassesLargeValuesByAddress && slot.kind == Slot::Kind::kPointer) {
    cursor.used.TakeAddress();
    return absl::OkStatus();
  }
  if (slot.kind != Slot::Kind::kMemory || slot.bytes != layout.size) return Mismatch(type, slot);
  if (kPassesLargeValuesByAddress) {
    return absl::UnimplementedError(absl::StrCat("is taken as ", slot.name, ", where C passes ",
                                                 NameOf(type), " by its address"));
  }
  // On the stack, everything is aligned to at least 8.
  if (slot.alignment <= std::max<size_t>(layout.alignment, 8)) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("is taken as ", slot.name, ", aligned to ", slot.alignment));
}

absl::Status FunctionShape::PlanParameter(const ForeignType& type, Cursor& cursor) const {
  const Slot& slot = signature_.parameters[cursor.next];
  const std::optional<RegisterParts> parts = RegisterPartsOf(type);
  if (!parts) return PlanLarge(type, cursor);
  if (IsInParts(type, {&slot, 1})) return PlanParts(type, *parts, cursor);
  if (!Matches(type, slot)) return Mismatch(type, slot);
  if (kIsX8664 && type.kind == ForeignKind::kInt128 && cursor.used.integers_left() == 1) {
    return absl::UnimplementedError(
        "is int128 where one register is left, which LLVM wastes and others use");
  }
  cursor.plan.arguments.back() = slot.integer;
  cursor.used.Take(*parts);
  ++cursor.next;
  return absl::OkStatus();
}

absl::Status FunctionShape::CheckVariable(const ForeignType& type) {
  const unsigned bits = BitsOf(type.kind);
  if (type.kind != ForeignKind::kFloat && (bits == 0 || bits >= 32)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("is a variable one and ", NameOf(type), ", which C passes as double or int"));
}

absl::StatusOr<CallPlan> FunctionShape::Plan(const ForeignType& result,
                                             absl::Span<const ForeignValue> arguments) const {
  Cursor cursor;
  cursor.plan.is_variadic = signature_.is_variadic;
  if (signature_.has_hidden_result && kResultAddressIsAnArgument) cursor.used.TakeAddress();
  if (signature_.has_hidden_result && result.kind == ForeignKind::kVoid) {
    // The caller may also pass the address of a result in memory explicitly, as in IR.
    if (arguments.empty() || arguments[0].type.kind != ForeignKind::kPointer) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the function returns a struct through ", signature_.results.front().name,
          ": ask for a struct, or give a pointer to memory for it as the first argument"));
    }
    cursor.plan.arguments.emplace_back();
    if (!kResultAddressIsAnArgument) cursor.plan.hidden_result = signature_.results.front().bytes;
  } else {
    FIRSTCALL_RETURN_IF_ERROR(PlanResult(result, cursor.plan));
  }
  for (size_t i = cursor.plan.arguments.size(); i < arguments.size(); ++i) {
    const bool is_fixed = cursor.next < signature_.parameters.size();
    if (!is_fixed && !signature_.is_variadic) {
      return absl::InvalidArgumentError(
          absl::StrCat(arguments.size(), " arguments are given, but the function takes ", i));
    }
    cursor.plan.arguments.emplace_back();
    if (is_fixed) cursor.plan.fixed_arguments = i + 1;
    const absl::Status status =
        is_fixed ? PlanParameter(arguments[i].type, cursor) : CheckVariable(arguments[i].type);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("argument ", i + 1, " ", status.message()));
    }
  }
  if (cursor.next != signature_.parameters.size()) {
    size_t expected = arguments.size();
    for (size_t i = cursor.next; i < signature_.parameters.size(); ++i) {
      if (i == cursor.next || signature_.parameters[i].begins_parameter) ++expected;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(arguments.size(), " arguments are given, but the function takes ",
                     signature_.is_variadic ? "at least " : "", expected, ": ",
                     signature_.parameters[cursor.next].name, " is next"));
  }
  return std::move(cursor.plan);
}

}  // namespace firstcall
