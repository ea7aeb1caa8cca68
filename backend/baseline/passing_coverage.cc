#include "backend/baseline/passing_coverage.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/function_features.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vector_passing.h"
#include "ir/attributes.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;

// Whether a set has a `byval` that LLVM passes as ArgumentPlaces says.
bool IsCoveredByValue(const ir::AttributeSet& attributes) {
  return attributes.type != nullptr && attributes.type->is_sized &&
         ByValueAlignment(attributes) <= 16;
}

// Whether the type is or has fp128.
bool HasQuad(const ir::Type* type) {
  if (!type->IsAggregate()) return IsQuad(type);
  return std::any_of(type->contained.begin(), type->contained.end(), HasQuad);
}

// Whether the type is an integer of two parts.
bool IsWide(const ir::Type* type) { return type->IsInteger() && PartCount(type) > 1; }

// Whether the type, one that is supported, is an aggregate that has integers of more than 64 bits.
bool HasWideMember(const ir::Type* type) {
  return type->IsAggregate() &&
         std::any_of(type->contained.begin(), type->contained.end(), [](const ir::Type* member) {
           return IsWide(member) || HasWideMember(member);
         });
}

bool IsPassedInParts(const ir::Type* type, const Passing& passing);

// Of a member of an aggregate.
bool IsMemberPassedInParts(const ir::Type* member, const Passing& passing) {
  const CallingConvention& convention = passing.convention;
  if (member->IsFixedVector()) {
    const bool is_whole = PartCount(member) == 1 && (member->count & (member->count - 1)) == 0;
    if (!is_whole || member->count == 1) return false;
  }
  const bool is_extended = member->IsInteger(1) && convention.extends_bits;
  // Arrays of bfloat are no blocks.
  const bool is_divided = member->kind == ir::TypeKind::kBFloat && convention.has_array_blocks;
  return !(convention.has_wide_members && IsWide(member)) && !is_extended && !is_divided &&
         IsPassedInParts(member, passing);
}

// Whether values of the type, one that is supported, are passed part by part, as ArgumentPlaces
// says.
bool IsPassedInParts(const ir::Type* type, const Passing& passing) {
  if (type->IsAggregate()) {
    return std::all_of(type->contained.begin(), type->contained.end(), [&](const ir::Type* member) {
      return IsMemberPassedInParts(member, passing);
    });
  }
  if (IsLongDouble(type)) return false;  // A member of an aggregate.
  if (!type->IsFixedVector()) return true;
  const VectorPassing of_vector = PassingOf(*type, passing.convention);
  if (of_vector.kind != VectorPassing::Kind::kParts) return false;
  return !of_vector.is_wide ||
         !UsesWideRegisters(passing.function, passing.architecture, passing.options);
}

// Of the Scalable Matrix Extension: how a function is run, or leaves the processor.
bool HasMode(const ir::AttributeSet& attributes) {
  return std::any_of(attributes.strings.begin(), attributes.strings.end(),
                     [](const ir::StringAttribute& attribute) {
                       return absl::StartsWith(attribute.name, "aarch64_");
                     });
}

}  // namespace

bool IsCoveredConvention(ir::CallingConvention convention, bool is_variadic) {
  return convention == ir::kConventionC || convention == ir::kConventionFast ||
         convention == ir::kConventionX86_64SysV ||
         (convention == ir::kConventionSwift && !is_variadic);
}

bool IsCovered(const ir::AttributeList& attributes, const CallingConvention& convention) {
  if (attributes.anywhere == 0) return true;
  for (Attribute attribute : {Attribute::kNest, Attribute::kInAlloca, Attribute::kPreallocated,
                              Attribute::kSwiftAsync, Attribute::kInReg, Attribute::kUnknown}) {
    if (attributes.HasAnywhere(attribute)) return false;
  }
  if (convention.has_array_blocks && attributes.HasAnywhere(Attribute::kStackAlignment)) {
    // An alignment of 8 changes nothing.
    const auto is_large = [](const ir::AttributeSet& set) { return set.stack_alignment > 8; };
    if (is_large(attributes.function) || is_large(attributes.result) ||
        std::any_of(attributes.parameters.begin(), attributes.parameters.end(), is_large)) {
      return false;
    }
  }
  if (!attributes.HasAnywhere(Attribute::kByVal)) return true;
  return std::all_of(attributes.parameters.begin(), attributes.parameters.end(),
                     [](const ir::AttributeSet& set) {
                       return !set.Has(Attribute::kByVal) || IsCoveredByValue(set);
                     });
}

bool LeavesConvention(const ir::AttributeSet& attributes, const CallingConvention& convention) {
  return attributes.HasString("no_caller_saved_registers") ||
         attributes.HasString("no_callee_saved_registers") ||
         (convention.has_streaming_mode && HasMode(attributes));
}

bool IsExtendedWide(const ir::Type* type, const ir::AttributeSet& attributes) {
  return type->IsInteger() && type->number > 64 && type->number < 128 &&
         (attributes.Has(Attribute::kZExt) || attributes.Has(Attribute::kSExt));
}

bool FillsRegister(const ir::Type* type) { return type->IsPointer() || type->IsInteger(64); }

bool IsCoveredReturn(const ir::Type* type, const Passing& passing) {
  if (type->IsVoid()) return true;
  if (IsLongDouble(type)) return passing.convention.has_long_doubles;
  const PartList list = PartsOf(type);
  return list.count != 0 && !HasMask(type) && IsPassedInParts(type, passing) &&
         !(list.count > 2 && HasQuad(type)) && IsReturnedInRegisters(list, passing.convention);
}

Refusal RefusalOfPassing(const ir::Type* type, const Passing& passing) {
  if (type->IsIntegerOrPointer()) return PartCount(type) == 0 ? Refusal::kType : Refusal::kNone;
  if (PartCount(type) == 0 || HasMask(type)) return Refusal::kType;
  if (IsLongDouble(type)) {
    return passing.convention.has_long_doubles ? Refusal::kNone : Refusal::kArgumentPassing;
  }
  // On the stack, the first half of a wide integer is aligned to 16 bytes.
  if (HasWideMember(type)) return Refusal::kArgumentPassing;
  return IsPassedInParts(type, passing) ? Refusal::kNone : Refusal::kArgumentPassing;
}

bool UsesWideRegisters(const ir::Function& function, const Architecture& architecture,
                       const CoverageOptions& options) {
  const ir::AttributeSet& attributes = function.attributes().function;
  if (architecture.has_sse) return UsesWideRegisters(attributes, options.has_avx);
  // Scalable registers have 16 bytes unless the function says more.
  return absl::StrContains(attributes.ValueOf("target-features"), "+sve");
}

}  // namespace firstcall::baseline
