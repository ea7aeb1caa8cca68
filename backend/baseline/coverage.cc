#include "backend/baseline/coverage.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/argument_places.h"
#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/function_features.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/stack_probe.h"
#include "backend/baseline/stack_protection.h"
#include "backend/baseline/tail_call_coverage.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vector_passing.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;
using ir::IntrinsicId;
using ir::Opcode;

const ir::Type* TypeAt(const ir::Function& function, const ir::Instruction& instruction,
                       unsigned index) {
  return function.TypeOf(function.OperandOf(instruction, index));
}

bool IsCoveredConvention(ir::CallingConvention convention, bool is_variadic) {
  return convention == ir::kConventionC || convention == ir::kConventionFast ||
         convention == ir::kConventionX86_64SysV ||
         (convention == ir::kConventionSwift && !is_variadic);
}

// The attributes of the function that is called by its name; null if there is no such function.
const ir::AttributeList* CalleeAttributes(const ir::Function& function,
                                          const ir::Instruction& call) {
  const ir::Global* callee = function.CalledFunctionOf(call);
  return callee == nullptr ? nullptr : callee->attributes();
}

// Whether the call, or the function that it calls, has the attribute for an argument or a result.
bool HasSomewhere(const ir::Function& function, const ir::Instruction& call, Attribute attribute) {
  if (function.CallOf(call).attributes->HasAnywhere(attribute)) return true;
  const ir::AttributeList* of_callee = CalleeAttributes(function, call);
  return of_callee != nullptr && of_callee->HasAnywhere(attribute);
}

// The function whose address the call names, even if the call gives it another type than its own;
// null if there is none. The attributes of this function as a whole count for the call.
const ir::Global* NamedFunctionOf(const ir::Function& function, const ir::Instruction& call) {
  const ir::Global* callee = function.GlobalOf(function.CalleeOf(call));
  return callee != nullptr && callee->IsFunction() ? callee : nullptr;
}

// The type of everything that is passed in the register of one of Swift's attributes.
bool FillsRegister(const ir::Type* type) { return type->IsPointer() || type->IsInteger(64); }

// Whether a set has a `byval` that LLVM passes as ArgumentPlaces says.
bool IsCoveredByValue(const ir::AttributeSet& attributes) {
  return attributes.type != nullptr && attributes.type->is_sized &&
         ByValueAlignment(attributes) <= 16;
}

// Whether parameters, or arguments, with these attributes are passed as ArgumentPlaces says. Looks
// at the whole list, results included, because that is much faster than looking at each parameter.
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

// A vector of i1, which has no place in memory and is passed to nobody.
bool IsMask(const ir::Type* type) { return type->IsVector() && type->scalar()->IsInteger(1); }

// Whether the type, one that is supported, is or has a vector of i1.
bool HasMask(const ir::Type* type) {
  if (!type->IsAggregate()) return IsMask(type);
  return std::any_of(type->contained.begin(), type->contained.end(), HasMask);
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

// What decides how values are passed.
struct Passing {
  const ir::Function& function;  // Whose arguments and results, or calls, are looked at.
  const Architecture& architecture;
  const CoverageOptions& options;
  const CallingConvention& convention;
};

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

bool IsCoveredReturn(const ir::Type* type, const Passing& passing) {
  if (type->IsVoid()) return true;
  if (IsLongDouble(type)) return passing.convention.has_long_doubles;
  const PartList list = PartsOf(type);
  return list.count != 0 && !HasMask(type) && IsPassedInParts(type, passing) &&
         !(list.count > 2 && HasQuad(type)) && IsReturnedInRegisters(list, passing.convention);
}

// Whether values of the type have no bits, such as those of an empty structure.
bool IsEmpty(const ir::Type* type) {
  return type->IsAggregate() && type->is_sized && type->alloc_size == 0;
}

// Of a type of arguments. What takes no place is passed as LLVM decides.
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

// Whether an integer with these attributes is extended to 128 bits, which is LLVM's to do.
bool IsExtendedWide(const ir::Type* type, const ir::AttributeSet& attributes) {
  return type->IsInteger() && type->number > 64 && type->number < 128 &&
         (attributes.Has(Attribute::kZExt) || attributes.Has(Attribute::kSExt));
}

// Whether a call with these attributes, its own or those of what it calls, extends such integers.
bool ExtendsWide(const ir::Function& function, const ir::Instruction& call,
                 const ir::AttributeList& attributes) {
  if (!attributes.HasAnywhere(Attribute::kZExt) && !attributes.HasAnywhere(Attribute::kSExt)) {
    return false;
  }
  if (IsExtendedWide(call.type, attributes.result)) return true;
  const uint32_t count = function.CallOf(call).argument_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (IsExtendedWide(TypeAt(function, call, i), attributes.OfParameter(i))) return true;
  }
  return false;
}

bool IsWholeWidth(const ir::Type* type) {
  return type->IsInteger() &&
         (type->number == 8 || type->number == 16 || type->number == 32 || type->number == 64);
}

bool IsScalarFloat(const ir::Type* type) { return type->IsFloat() || type->IsDouble(); }

// Whether the type is x86_fp80, and this is a processor that does not compute with such numbers.
bool IsForeignFloat(const ir::Type* type, const Architecture& architecture) {
  return IsLongDouble(type) && !architecture.convention.has_long_doubles;
}

// Integers and pointers in one general register.
bool IsScalar(const ir::Type* type) {
  return type->IsPointer() || (type->IsInteger() && type->number <= 64);
}

// Of constants that code computes or reads.
Refusal RefusalOf(const ir::Function& function, absl::Span<const ir::Operand> operands) {
  for (ir::Operand operand : operands) {
    const ir::Constant* constant = function.ConstantOf(operand);
    if (constant == nullptr || constant->kind == ir::ConstantKind::kMetadata) continue;
    if (!IsSupported(*constant, function)) {
      return constant->kind == ir::ConstantKind::kBlockAddress ? Refusal::kBlockAddress
                                                               : Refusal::kConstant;
    }
  }
  return Refusal::kNone;
}

Refusal RefusalOfOperands(const ir::Function& function, const ir::Instruction& instruction) {
  absl::Span<const ir::Operand> operands = function.OperandsOf(instruction);
  // The mask of a shuffle describes the instruction. No code computes the mask.
  if (instruction.opcode == Opcode::kShuffleVector) operands = operands.first(2);
  return RefusalOf(function, operands);
}

// Whether a function of the C library computes the intrinsic that is called.
bool HasMathFunction(const ir::Function& function, const ir::Instruction& call,
                     IntrinsicId intrinsic) {
  return function.CallOf(call).argument_count != 0 &&
         MathFunctionOf(intrinsic, *TypeAt(function, call, 0)) != nullptr;
}

// Of a load or a store of some lanes. `address`: a pointer, or a vector of them.
Refusal RefusalOfMaskedAccess(const ir::Type* vector, const ir::Type* address,
                              const ir::Type* mask) {
  const bool is_covered =
      PartCount(vector) != 0 && !IsMask(vector) && PartCount(address) != 0 && PartCount(mask) != 0;
  return is_covered ? Refusal::kNone : Refusal::kVector;
}

// Of an intrinsic that computes with floating-point numbers, or that is not known.
Refusal RefusalOfMath(const ir::Function& function, const ir::Instruction& call,
                      IntrinsicId intrinsic, const CoverageOptions& options) {
  if (IsSseIntrinsic(intrinsic)) return Refusal::kNone;
  if (options.has_rounding && RoundingModeOf(intrinsic) >= 0 &&
      IsScalarFloat(call.type->scalar())) {
    return Refusal::kNone;
  }
  if (call.type->IsVector()) return Refusal::kVector;
  return HasMathFunction(function, call, intrinsic) ? Refusal::kNone : Refusal::kIntrinsic;
}

// Whether the address of the frame, or of the return, is that of the function itself.
bool IsOfThisFrame(const ir::Function& function, const ir::Instruction& call) {
  const ir::Constant* level = function.ConstantOf(function.OperandOf(call, 0));
  return level != nullptr && level->IsZero();
}

bool HasFunctionString(const ir::Function& function, const ir::Instruction& call,
                       absl::string_view name) {
  if (function.CallOf(call).attributes->function.HasString(name)) return true;
  const ir::Global* callee = NamedFunctionOf(function, call);
  return callee != nullptr && callee->attributes()->function.HasString(name);
}

// Whether the type, a vector, is supported and has integers of whole bytes.
bool HasWholeLanes(const ir::Type* type) {
  return PartCount(type) != 0 && IsWholeWidth(type->scalar());
}

// Whether the intrinsic is covered, if its operands are. `intrinsic` is what `call` calls, and
// needs machine code.
Refusal RefusalOfKind(const ir::Function& function, const ir::Instruction& call,
                      IntrinsicId intrinsic, const CoverageOptions& options) {
  const ir::Type* type = call.type;
  const auto if_covered = [](bool is_covered) {
    return is_covered ? Refusal::kNone : Refusal::kIntrinsic;
  };
  switch (intrinsic) {
    case IntrinsicId::kMemsetInline:
      return if_covered(IsMadeInLine(function, call));  // It must call nothing.
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
    case IntrinsicId::kMemset:
      return if_covered(TypeAt(function, call, 2)->IsInteger(64) || IsMadeInLine(function, call));
    case IntrinsicId::kUaddWithOverflow:
    case IntrinsicId::kSaddWithOverflow:
    case IntrinsicId::kUsubWithOverflow:
    case IntrinsicId::kSsubWithOverflow: {
      const ir::Type* operand = TypeAt(function, call, 0);
      return if_covered(IsWholeWidth(operand) || operand->IsInteger(128));
    }
    case IntrinsicId::kUmulWithOverflow:
    case IntrinsicId::kSmulWithOverflow:
      return if_covered(IsWholeWidth(TypeAt(function, call, 0)));
    case IntrinsicId::kSmax:
    case IntrinsicId::kSmin:
    case IntrinsicId::kUmax:
    case IntrinsicId::kUmin:
      if (!type->IsVector()) return if_covered(IsWholeWidth(type));
      return PartCount(type) != 0 && !IsMask(type) ? Refusal::kNone : Refusal::kVector;
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
      // Two lanes are shifted in 64 bits.
      return if_covered(type->IsVector() ? HasWholeLanes(type) && type->scalar()->number < 64
                                         : IsWholeWidth(type));
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUsubSat:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSsubSat:
      // Lanes are computed with 64 bits.
      return if_covered(type->IsVector() ? HasWholeLanes(type) && type->scalar()->number < 64
                                         : IsWholeWidth(type));
    case IntrinsicId::kAbs:
    case IntrinsicId::kBswap:
      return if_covered(type->IsVector() ? HasWholeLanes(type) : IsScalar(type));
    case IntrinsicId::kInvariantStart:
      return Refusal::kNone;  // No code uses what it returns.
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCttz:
    case IntrinsicId::kExpect:
    case IntrinsicId::kExpectWithProbability:
      return if_covered(IsScalar(type));
    case IntrinsicId::kCtpop:
      return if_covered(IsScalar(type) && options.has_popcnt);
    case IntrinsicId::kObjectsize:
    case IntrinsicId::kIsConstant:
      // Code that -O0 removes may not be able to link.
      return Refusal::kIntrinsic;
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceAnd:
    case IntrinsicId::kVectorReduceMul:
    case IntrinsicId::kVectorReduceOr:
    case IntrinsicId::kVectorReduceXor:
    case IntrinsicId::kVectorReduceSmax:
    case IntrinsicId::kVectorReduceSmin:
    case IntrinsicId::kVectorReduceUmax:
    case IntrinsicId::kVectorReduceUmin:
      return PartCount(TypeAt(function, call, 0)) != 0 ? Refusal::kNone : Refusal::kVector;
    case IntrinsicId::kVectorReduceFadd:
    case IntrinsicId::kVectorReduceFmul:
      return IsScalarFloat(type) && PartCount(TypeAt(function, call, 1)) != 0 ? Refusal::kNone
                                                                              : Refusal::kVector;
    case IntrinsicId::kMaskedLoad:
    case IntrinsicId::kMaskedGather:
    case IntrinsicId::kMaskedExpandload:
      return RefusalOfMaskedAccess(
          type, TypeAt(function, call, 0),
          TypeAt(function, call, ir::MaskOfLoad(function.CallOf(call).argument_count)));
    case IntrinsicId::kMaskedStore:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedCompressstore:
      return RefusalOfMaskedAccess(
          TypeAt(function, call, 0), TypeAt(function, call, 1),
          TypeAt(function, call, ir::MaskOfStore(function.CallOf(call).argument_count)));
    case IntrinsicId::kPtrmask:
      return IsScalar(type) ? Refusal::kNone : Refusal::kVector;
    case IntrinsicId::kTrap:
    case IntrinsicId::kUbsantrap:
    case IntrinsicId::kDebugtrap:
      // LLVM calls a function instead if the call names one.
      return if_covered(!HasFunctionString(function, call, "trap-func-name"));
    case IntrinsicId::kLaunderInvariantGroup:
    case IntrinsicId::kStripInvariantGroup:
    case IntrinsicId::kStacksave:
    case IntrinsicId::kStackrestore:
    case IntrinsicId::kVaStart:
    case IntrinsicId::kVaCopy:
    case IntrinsicId::kLoadRelative:
    case IntrinsicId::kEhTypeidFor:
      return Refusal::kNone;
    case IntrinsicId::kReturnaddress:
      // The address may have to be freed of its signature.
      return if_covered(!function.attributes().function.HasString("sign-return-address") &&
                        IsOfThisFrame(function, call));
    case IntrinsicId::kFrameaddress:
      return if_covered(IsOfThisFrame(function, call));
    case IntrinsicId::kFmuladd:
    case IntrinsicId::kFabs:
    case IntrinsicId::kCopysign:
      if (type->IsVector()) return if_covered(IsScalarFloat(type->scalar()));
      return if_covered(IsScalarFloat(type) || IsLongDouble(type) ||
                        (IsQuad(type) && intrinsic != IntrinsicId::kFmuladd));
    case IntrinsicId::kSqrt:
      if (type->IsVector()) return if_covered(IsScalarFloat(type->scalar()));
      return if_covered(IsScalarFloat(type) || IsLongDouble(type));
    case IntrinsicId::kIsFpclass: {
      const ir::Constant* classes = function.ConstantOf(function.OperandOf(call, 1));
      const ir::Type* const number = TypeAt(function, call, 0);
      return if_covered(type->IsInteger(1) && (IsScalarFloat(number) || IsSmallFloat(number)) &&
                        classes != nullptr && classes->IsInteger());
    }
    default:
      return RefusalOfMath(function, call, intrinsic, options);
  }
}

Refusal RefusalOfIntrinsic(const ir::Function& function, const ir::Instruction& call,
                           IntrinsicId intrinsic, const Architecture& architecture,
                           const CoverageOptions& options) {
  if (IsNoOperation(intrinsic)) return Refusal::kNone;
  if (IsSseIntrinsic(intrinsic) && !architecture.has_sse) return Refusal::kIntrinsic;
  if (function.CallOf(call).has_bundles) return Refusal::kOperandBundle;
  if (intrinsic == IntrinsicId::kThreadlocalAddress) {
    const ir::Global* variable = function.GlobalOf(function.OperandOf(call, 0));
    const bool is_covered =
        variable != nullptr && variable->IsVariable() && PartCount(call.type) != 0;
    return is_covered ? Refusal::kNone : Refusal::kConstant;
  }
  const Refusal refusal = RefusalOfKind(function, call, intrinsic, options);
  if (refusal != Refusal::kNone) return refusal;
  // Even if nothing uses the result: such as a pointer of another address space.
  if (!call.type->IsVoid() && PartCount(call.type) == 0) return Refusal::kIntrinsic;
  return RefusalOfOperands(function, call);
}

// Of the Scalable Matrix Extension: how a function is run, or leaves the processor.
bool HasMode(const ir::AttributeSet& attributes) {
  return std::any_of(attributes.strings.begin(), attributes.strings.end(),
                     [](const ir::StringAttribute& attribute) {
                       return absl::StartsWith(attribute.name, "aarch64_");
                     });
}

// Whether a function or a call with these attributes saves other registers than its calling
// convention says.
bool ChangesSavedRegisters(const ir::AttributeSet& attributes) {
  return attributes.HasString("no_caller_saved_registers") ||
         attributes.HasString("no_callee_saved_registers");
}

// Of a call with these attributes, its own or those of what it calls.
Refusal RefusalOfAttributes(const ir::Function& function, const ir::Instruction& call,
                            const ir::AttributeList& attributes,
                            const CallingConvention& convention) {
  if (ExtendsWide(function, call, attributes) || !IsCovered(attributes, convention)) {
    return Refusal::kArgumentPassing;
  }
  const bool has_mode = convention.has_streaming_mode && HasMode(attributes.function);
  return has_mode || ChangesSavedRegisters(attributes.function) ? Refusal::kFunctionAttribute
                                                                : Refusal::kNone;
}

// Of a call that returns twice. A processor that protects indirect branches wants a mark where the
// second return goes on.
Refusal RefusalOfSecondReturn(const ir::Function& function, const ir::Instruction& call) {
  const bool is_protected = function.module().FlagOf("cf-protection-branch") != 0 ||
                            function.attributes().function.HasString("branch-target-enforcement");
  return is_protected || call.opcode != Opcode::kCall ? Refusal::kReturnsTwice : Refusal::kNone;
}

Refusal RefusalOfArguments(const ir::Function& function, const ir::Instruction& call,
                           const Passing& passing) {
  const bool has_self = HasSomewhere(function, call, Attribute::kSwiftSelf);
  const absl::Span<const ir::Operand> arguments = function.ArgumentsOf(call);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ir::Type* type = function.TypeOf(arguments[i]);
    const Refusal refusal = RefusalOfPassing(type, passing);
    if (refusal != Refusal::kNone) return refusal;
    if (has_self && ArgumentHas(function, call, i, Attribute::kSwiftSelf) && !FillsRegister(type)) {
      return Refusal::kArgumentPassing;
    }
  }
  return Refusal::kNone;
}

// Of a call of inline assembly without text.
Refusal RefusalOfEmptyAssembly(const ir::Function& function, const ir::Instruction& call) {
  if (call.opcode != Opcode::kCall || function.CallOf(call).has_bundles ||
      !EmptyAssemblyOf(function, call)) {
    return Refusal::kInlineAssembly;
  }
  return RefusalOf(function, function.ArgumentsOf(call));
}

// Of a call of inline assembly with a text.
Refusal RefusalOfAssembly(const ir::Function& function, const ir::Instruction& call,
                          const Architecture& architecture, const CoverageOptions& options) {
  if (!options.has_assembler || call.opcode != Opcode::kCall || function.CallOf(call).has_bundles ||
      function.CallOf(call).is_must_tail || !PlanAssembly(function, call, architecture)) {
    return Refusal::kInlineAssembly;
  }
  return RefusalOf(function, function.ArgumentsOf(call));
}

// Whether the intrinsic changes nothing but the sign of a floating-point number.
bool ChangesSign(IntrinsicId intrinsic) {
  return intrinsic == IntrinsicId::kFabs || intrinsic == IntrinsicId::kCopysign;
}

Refusal RefusalOfCall(const ir::Function& function, const ir::Instruction& instruction,
                      const Architecture& architecture, const CoverageOptions& options) {
  const ir::Call& call = function.CallOf(instruction);
  if (call.attributes->HasAnywhere(Attribute::kUnknown)) return Refusal::kArgumentPassing;
  if (const IntrinsicId id = function.IntrinsicOf(instruction); id != IntrinsicId::kNone) {
    if (instruction.opcode == Opcode::kInvoke) return Refusal::kException;
    if (call.argument_count != 0) {
      const ir::Type* const type = TypeAt(function, instruction, 0);
      const bool is_small = HasSmallFloats(type) && id != IntrinsicId::kIsFpclass;
      if (IsForeignFloat(type, architecture) || is_small) return Refusal::kType;
      // Where C's long doubles are of another kind, so are the functions of its library.
      if (IsQuad(type) && architecture.convention.has_long_doubles && !ChangesSign(id)) {
        return Refusal::kType;
      }
    }
    return RefusalOfIntrinsic(function, instruction, id, architecture, options);
  }
  const ir::Constant* callee = function.ConstantOf(function.CalleeOf(instruction));
  if (callee != nullptr && callee->kind == ir::ConstantKind::kInlineAssembly) {
    return RefusalOfAssembly(function, instruction, architecture, options);
  }
  if (callee != nullptr && callee->kind == ir::ConstantKind::kEmptyAssembly) {
    return RefusalOfEmptyAssembly(function, instruction);
  }
  if (call.is_must_tail && !IsCoveredTailCall(function, instruction)) return Refusal::kMustTail;
  if (call.has_bundles) return Refusal::kOperandBundle;
  if (ReturnsTwice(function, instruction)) {
    const Refusal refusal = RefusalOfSecondReturn(function, instruction);
    if (refusal != Refusal::kNone) return refusal;
  }
  if (!IsCoveredConvention(call.convention, call.function_type->is_variadic)) {
    return Refusal::kCallingConvention;
  }
  const CallingConvention& convention = architecture.ConventionOf(call.convention);
  const Passing passing{function, architecture, options, convention};
  if (!IsCoveredReturn(instruction.type, passing) && !IsEmpty(instruction.type)) {
    return Refusal::kArgumentPassing;
  }
  Refusal refusal = RefusalOfAttributes(function, instruction, *call.attributes, convention);
  if (refusal != Refusal::kNone) return refusal;
  if (const ir::AttributeList* of_callee = CalleeAttributes(function, instruction)) {
    refusal = RefusalOfAttributes(function, instruction, *of_callee, convention);
    if (refusal != Refusal::kNone) return refusal;
  }
  refusal = RefusalOfArguments(function, instruction, passing);
  return refusal == Refusal::kNone ? RefusalOfOperands(function, instruction) : refusal;
}

// Of a type that is no integer of at most 64 bits, nor an i128.
bool IsOddWide(const ir::Type* type) {
  return type->IsInteger() && type->number > 64 && type->number != 128;
}

Refusal RefusalOfVectorBinary(const ir::Instruction& binary) {
  switch (binary.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFNeg:
      return Refusal::kNone;
    case Opcode::kMul:
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      return IsMask(binary.type) ? Refusal::kVector : Refusal::kNone;
    default:
      return Refusal::kVector;
  }
}

Refusal RefusalOfBinary(const ir::Function& function, const ir::Instruction& binary) {
  const ir::Type* type = binary.type;
  if (PartCount(type) == 0) return Refusal::kType;
  if (!type->IsInteger() && HasSmallFloats(type)) return Refusal::kType;
  if (type->IsVector()) {
    const Refusal refusal = RefusalOfVectorBinary(binary);
    if (refusal != Refusal::kNone) return refusal;
  }
  if (IsOddWide(type)) {
    switch (binary.opcode) {
      case Opcode::kUDiv:
      case Opcode::kSDiv:
      case Opcode::kURem:
      case Opcode::kSRem:
        return Refusal::kType;
      default:
        break;
    }
  }
  return RefusalOfOperands(function, binary);
}

// Of vectors and masks. A cast from or to vectors is one of vectors to vectors.
Refusal RefusalOfVectorCast(Opcode opcode, const ir::Type* from, const ir::Type* to) {
  if (opcode == Opcode::kUIToFP && from->scalar()->IsInteger(64)) return Refusal::kVector;
  if (opcode == Opcode::kFPToUI && to->scalar()->IsInteger(64)) return Refusal::kVector;
  if (!IsMask(from) && !IsMask(to)) return Refusal::kNone;
  return opcode == Opcode::kZExt || opcode == Opcode::kSExt || opcode == Opcode::kTrunc
             ? Refusal::kNone
             : Refusal::kVector;
}

Refusal RefusalOfBitCast(const ir::Type* from, const ir::Type* to) {
  if (from->IsAggregate() || to->IsAggregate()) return Refusal::kType;
  const bool has_mask = IsMask(from) || IsMask(to);
  return has_mask && !from->IsInteger() && !to->IsInteger() && from != to ? Refusal::kType
                                                                          : Refusal::kNone;
}

// Whether the conversion is lowered as it is, not by way of others (small_float_expansion.h).
bool IsHalfConversion(const ir::Type* from, const ir::Type* to) {
  return to->kind == ir::TypeKind::kHalf ? IsScalarFloat(from)
                                         : from->kind == ir::TypeKind::kHalf && to->IsFloat();
}

// Whether there is a function that converts between fp128 and the other type.
bool IsQuadConversion(Opcode opcode, const ir::Type* from, const ir::Type* to) {
  switch (opcode) {
    case Opcode::kFPExt:
      return IsScalarFloat(from);
    case Opcode::kFPTrunc:
      return IsScalarFloat(to);
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return from->IsInteger(32) || from->IsInteger(64) || from->IsInteger(128);
    default:
      return to->IsInteger() && !IsOddWide(to);
  }
}

// Of a cast that is no bitcast, and between numbers one of which is a floating-point number.
Refusal RefusalOfFloatCast(Opcode opcode, const ir::Type* from, const ir::Type* to) {
  if ((HasSmallFloats(from) || HasSmallFloats(to)) && !IsHalfConversion(from, to)) {
    return Refusal::kType;
  }
  if ((IsQuad(from) || IsQuad(to)) && !IsQuadConversion(opcode, from, to)) return Refusal::kType;
  return IsOddWide(from) || IsOddWide(to) ? Refusal::kType : Refusal::kNone;
}

Refusal RefusalOfCast(const ir::Function& function, const ir::Instruction& cast,
                      const Architecture& architecture) {
  const ir::Type* from = TypeAt(function, cast, 0);
  const ir::Type* to = cast.type;
  if (PartCount(from) == 0 || PartCount(to) == 0) return Refusal::kType;
  if (IsForeignFloat(from, architecture)) return Refusal::kType;
  Refusal refusal = Refusal::kNone;
  if (cast.opcode == Opcode::kBitCast) {
    refusal = RefusalOfBitCast(from, to);
  } else if (from->IsVector() || to->IsVector()) {
    const bool is_small = HasSmallFloats(from) || HasSmallFloats(to);
    refusal = is_small ? Refusal::kType : RefusalOfVectorCast(cast.opcode, from, to);
  } else if (from->IsFloatingPoint() || to->IsFloatingPoint()) {
    refusal = RefusalOfFloatCast(cast.opcode, from, to);
  }
  return refusal == Refusal::kNone ? RefusalOfOperands(function, cast) : refusal;
}

// Whether values of the type can be loaded and stored.
bool HasPlacesInMemory(const ir::Type* type) { return PartCount(type) != 0 && !HasMask(type); }

// Of a getelementptr whose result is a vector. The strides must fit 31 bits, and an index of a
// structure's member must be a number, not a vector.
Refusal RefusalOfStrides(const ir::Function& function, const ir::Instruction& element) {
  const ir::Type* indexed = element.source_type;
  for (unsigned i = 1; i < element.operand_count; ++i) {
    uint64_t stride = 0;
    if (i == 1) {
      stride = indexed->alloc_size;
    } else if (indexed->IsStruct()) {
      const ir::Constant* member = function.ConstantOf(function.OperandOf(element, i));
      if (member == nullptr || !member->IsInteger()) return Refusal::kType;
      indexed = indexed->members()[member->LimitedTo(UINT32_MAX)];
    } else {
      stride = indexed->element_stride();
      indexed = indexed->element();
    }
    if (stride > INT32_MAX) return Refusal::kSize;
  }
  return Refusal::kNone;
}

Refusal RefusalOfElementAddress(const ir::Function& function, const ir::Instruction& element) {
  if (PartCount(element.type) == 0) return Refusal::kType;
  if (!element.source_type->is_sized) return Refusal::kType;
  const bool is_vector = element.type->IsVector();
  for (ir::Operand operand : function.OperandsOf(element)) {
    const ir::Type* type = function.TypeOf(operand);
    if (!IsScalar(type) && !(is_vector && PartCount(type) != 0 && !IsMask(type))) {
      return Refusal::kType;
    }
  }
  if (is_vector) {
    const Refusal refusal = RefusalOfStrides(function, element);
    if (refusal != Refusal::kNone) return refusal;
  }
  return RefusalOfOperands(function, element);
}

// Whether the atomic instruction's alignment is at least the size of `type`.
bool IsAligned(const ir::Instruction& atomic, const ir::Type* type) {
  return atomic.alignment() >= type->store_size;
}

// Of what an atomic instruction compares or computes with.
bool IsAtomicInteger(const ir::Type* type, const ir::Instruction& atomic) {
  return (IsWholeWidth(type) || type->IsPointer()) && IsAligned(atomic, type);
}

// Of a load or a store of `type`.
Refusal RefusalOfAccess(const ir::Function& function, const ir::Instruction& access,
                        const ir::Type* type, const CoverageOptions& options) {
  if (!HasPlacesInMemory(type)) return Refusal::kType;
  if (access.IsAtomic()) {
    const bool is_covered = IsWholeWidth(type) || type->IsPointer() || IsScalarFloat(type) ||
                            (type->IsInteger(128) && options.has_wide_accesses);
    if (!is_covered || !IsAligned(access, type)) return Refusal::kAtomic;
  }
  return RefusalOfOperands(function, access);
}

// The most bytes that a static alloca may have.
constexpr uint64_t kMostStaticBytes = uint64_t{1} << 28;
// The largest alignment of a static alloca, in bytes.
constexpr uint64_t kMostStaticAlignment = 4096;

Refusal RefusalOfAlloca(const ir::Function& function, const ir::Instruction& alloca) {
  if (!alloca.source_type->is_sized) return Refusal::kSize;
  if (IsStaticAlloca(function, alloca)) {
    const ir::Constant& count = function.constant(function.OperandOf(alloca, 0));
    const uint64_t size = alloca.source_type->alloc_size;
    const uint64_t elements = count.LimitedTo(UINT64_MAX);
    if (size != 0 && elements > kMostStaticBytes / size) return Refusal::kSize;
    // Variables that may lie next to the guard are not aligned.
    if (IsOverAligned(alloca) && (alloca.alignment() > kMostStaticAlignment ||
                                  AsksForProtection(function.attributes().function))) {
      return Refusal::kInstruction;
    }
  } else {
    if (StackProbeOf(function.attributes().function) == StackProbe::kOther) {
      return Refusal::kFunctionAttribute;
    }
    if (alloca.is_swift_error) return Refusal::kInstruction;
    // The stack pointer is aligned by an instruction with 32 bits of the alignment.
    if (alloca.alignment_log > 30) return Refusal::kInstruction;
  }
  if (alloca.is_inalloca) return Refusal::kInstruction;
  if (PartCount(alloca.type) == 0) return Refusal::kType;
  return RefusalOfOperands(function, alloca);
}

// Whether an atomic comparison and exchange may be of this type.
bool IsExchanged(const ir::Type* type, const ir::Instruction& exchange,
                 const CoverageOptions& options) {
  if (IsAtomicInteger(type, exchange)) return true;
  return options.has_wide_exchange && type->IsInteger(128) && IsAligned(exchange, type);
}

// Whether a loop around an exchange of 128 bits updates a number of this type.
bool IsWideUpdate(const ir::Instruction& update, const CoverageOptions& options) {
  if (!options.has_wide_exchange || !update.type->IsInteger(128)) return false;
  switch (update.operation()) {
    case ir::AtomicOperation::kXchg:
    case ir::AtomicOperation::kAdd:
    case ir::AtomicOperation::kSub:
    case ir::AtomicOperation::kAnd:
    case ir::AtomicOperation::kNand:
    case ir::AtomicOperation::kOr:
    case ir::AtomicOperation::kXor:
      return IsAligned(update, update.type);
    default:
      return false;
  }
}

Refusal RefusalOfAtomicUpdate(const ir::Function& function, const ir::Instruction& update,
                              const CoverageOptions& options) {
  if (IsWideUpdate(update, options)) return RefusalOfOperands(function, update);
  switch (update.operation()) {
    case ir::AtomicOperation::kFAdd:
    case ir::AtomicOperation::kFSub:
    case ir::AtomicOperation::kFMax:
    case ir::AtomicOperation::kFMin:
      if (!IsScalarFloat(update.type) || !IsAligned(update, update.type)) return Refusal::kAtomic;
      return RefusalOfOperands(function, update);
    case ir::AtomicOperation::kUIncWrap:
    case ir::AtomicOperation::kUDecWrap:
    case ir::AtomicOperation::kXchg:
    case ir::AtomicOperation::kAdd:
    case ir::AtomicOperation::kSub:
    case ir::AtomicOperation::kAnd:
    case ir::AtomicOperation::kNand:
    case ir::AtomicOperation::kOr:
    case ir::AtomicOperation::kXor:
    case ir::AtomicOperation::kMax:
    case ir::AtomicOperation::kMin:
    case ir::AtomicOperation::kUMax:
    case ir::AtomicOperation::kUMin:
      break;
    default:
      return Refusal::kAtomic;
  }
  const bool is_number = update.operation() == ir::AtomicOperation::kXchg &&
                         IsScalarFloat(update.type) && IsAligned(update, update.type);
  if (!is_number && !IsAtomicInteger(update.type, update)) return Refusal::kAtomic;
  return RefusalOfOperands(function, update);
}

// `why`: the refusal if values of the result's type, or of `type`, have no parts.
Refusal RefusalOfTypes(const ir::Function& function, const ir::Instruction& instruction,
                       const ir::Type* type, Refusal why) {
  if (PartCount(type) == 0 || PartCount(instruction.type) == 0) return why;
  return RefusalOfOperands(function, instruction);
}

Refusal RefusalOfLandingPad(const ir::Function& function, const ir::Instruction& pad) {
  for (ir::Operand operand : function.OperandsOf(pad)) {
    const ir::Constant* clause =
        function.ConstantOf(WithoutCasts(operand, function.all_constants()));
    if (clause == nullptr ||
        (!clause->IsGlobal() && !clause->IsZero() && !clause->type->IsArray())) {
      return Refusal::kException;
    }
  }
  // The unwinder passes both parts in general registers.
  const PartList parts = PartsOf(pad.type);
  const bool is_covered =
      parts.count == 2 && !parts.parts[0].is_vector && !parts.parts[1].is_vector;
  return is_covered ? Refusal::kNone : Refusal::kException;
}

// Whether LLVM takes a call of the intrinsic for one that may write to memory, by the attributes
// that LLVM gives each intrinsic. Of kNone, which is an ordinary function, and of kOther: true.
bool IntrinsicMayWrite(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kNone:
    case IntrinsicId::kOther:
    case IntrinsicId::kAssume:
    case IntrinsicId::kDebugtrap:
    case IntrinsicId::kExperimentalNoaliasScopeDecl:
    case IntrinsicId::kInvariantEnd:
    case IntrinsicId::kInvariantStart:
    case IntrinsicId::kLaunderInvariantGroup:
    case IntrinsicId::kLifetimeEnd:
    case IntrinsicId::kLifetimeStart:
    case IntrinsicId::kLocalescape:
    case IntrinsicId::kMaskedCompressstore:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedStore:
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
    case IntrinsicId::kMemset:
    case IntrinsicId::kMemsetInline:
    case IntrinsicId::kPrefetch:
    case IntrinsicId::kPseudoprobe:
    case IntrinsicId::kSideeffect:
    case IntrinsicId::kStackrestore:
    case IntrinsicId::kStacksave:
    case IntrinsicId::kTrap:
    case IntrinsicId::kUbsantrap:
    case IntrinsicId::kVaCopy:
    case IntrinsicId::kVaEnd:
    case IntrinsicId::kVaStart:
    case IntrinsicId::kVarAnnotation:
      return true;
    default:
      return false;
  }
}

constexpr uint64_t BitOf(Attribute attribute) { return uint64_t{1} << static_cast<int>(attribute); }

// Attributes of functions that only LLVM compiles. Those of address, thread and memory sanitizers
// mean nothing to a code generator, because the code is instrumented in IR.
constexpr uint64_t kRefusedAttributes =
    BitOf(Attribute::kNaked) | BitOf(Attribute::kSafeStack) | BitOf(Attribute::kShadowCallStack) |
    BitOf(Attribute::kSanitizeHWAddress) | BitOf(Attribute::kSanitizeMemTag) |
    BitOf(Attribute::kPresplitCoroutine) | BitOf(Attribute::kSpeculativeLoadHardening) |
    BitOf(Attribute::kFnRetThunkExtern) | BitOf(Attribute::kStackAlignment);

// The same of string attributes.
constexpr absl::string_view kRefusedStrings[] = {"patchable-function",
                                                 "patchable-function-entry",
                                                 "patchable-function-prefix",
                                                 "split-stack",
                                                 "function-instrument",
                                                 "xray-instruction-threshold",
                                                 "stackrealign",
                                                 "alignstack",
                                                 "interrupt",
                                                 "fentry-call"};

// A bit for each length of a name in kRefusedStrings. Most attributes have none of these lengths.
constexpr uint64_t RefusedLengths() {
  uint64_t lengths = 0;
  for (absl::string_view name : kRefusedStrings) lengths |= uint64_t{1} << name.size();
  return lengths;
}

bool IsRefusedString(absl::string_view name) {
  constexpr uint64_t kLengths = RefusedLengths();
  if (name.size() >= 64 || (kLengths >> name.size() & 1) == 0) return false;
  for (absl::string_view refused : kRefusedStrings) {
    if (name == refused) return true;
  }
  return false;
}

bool HasRefusedAttribute(const ir::AttributeSet& attributes, const CallingConvention& convention) {
  if ((attributes.kinds & kRefusedAttributes) != 0) return true;
  for (const ir::StringAttribute& attribute : attributes.strings) {
    if (IsRefusedString(attribute.name)) return true;
  }
  if (ChangesSavedRegisters(attributes)) return true;
  if (convention.has_streaming_mode && HasMode(attributes)) return true;
  return attributes.ValueOf("sign-return-address-key") == "b_key";
}

// Whether the section is empty, or one that only says where an executable is to have the function,
// such as `.text.startup`. Other names can be asked for: their section's begin and end are symbols.
bool IsCodeSection(absl::string_view section) {
  return section.empty() || absl::StartsWith(section, ".text.");
}

// Whether the function has something that the code generator does not write, or does not know.
bool HasUnusualParts(const ir::Function& function) {
  const ir::Global& global = function.global();
  return function.has_unknown || global.has_unknown() ||
         global.attributes()->HasAnywhere(Attribute::kUnknown) || !global.collector().empty() ||
         !global.prefix_data().IsNothing() || !global.prologue_data().IsNothing() ||
         !IsCodeSection(global.section());
}

bool HasUncoveredPersonality(const ir::Function& function) {
  const ir::Operand personality = function.global().personality();
  if (personality.IsNothing()) return false;
  const ir::Global* global = function.GlobalOf(WithoutCasts(personality, function.all_constants()));
  return global == nullptr || !global->IsFunction();
}

// Of the function's result and parameters.
Refusal RefusalOfSignature(const ir::Function& function, const Passing& passing) {
  const ir::AttributeList& attributes = function.attributes();
  const ir::Type* result = function.result_type();
  if (!IsCoveredReturn(result, passing) || !IsCovered(attributes, passing.convention) ||
      IsExtendedWide(result, attributes.result)) {
    return Refusal::kArgumentPassing;
  }
  for (uint32_t i = 0; i < function.argument_count(); ++i) {
    const ir::Type* type = function.values[i].type;
    if (IsExtendedWide(type, attributes.OfParameter(i))) return Refusal::kArgumentPassing;
    const Refusal refusal = RefusalOfPassing(type, passing);
    if (refusal != Refusal::kNone) return refusal;
    if (attributes.OfParameter(i).Has(Attribute::kSwiftSelf) && !FillsRegister(type)) {
      return Refusal::kArgumentPassing;
    }
  }
  return Refusal::kNone;
}

}  // namespace

uint64_t ByValueAlignment(const ir::AttributeSet& attributes) {
  uint64_t alignment = attributes.stack_alignment;
  if (alignment == 0) alignment = attributes.alignment;
  if (alignment == 0) alignment = attributes.type->alignment;
  return std::max<uint64_t>(alignment, 8);
}

bool IsStaticAlloca(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.opcode != Opcode::kAlloca || instruction.block != 0 || instruction.is_inalloca) {
    return false;
  }
  const ir::Constant* count = function.ConstantOf(function.OperandOf(instruction, 0));
  return count != nullptr && count->IsInteger();
}

bool IsNoOperation(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kLifetimeStart:
    case IntrinsicId::kLifetimeEnd:
    case IntrinsicId::kInvariantEnd:
    case IntrinsicId::kAssume:
    case IntrinsicId::kExperimentalNoaliasScopeDecl:
    case IntrinsicId::kSideeffect:
    case IntrinsicId::kDonothing:
    case IntrinsicId::kDbgDeclare:
    case IntrinsicId::kDbgValue:
    case IntrinsicId::kDbgLabel:
    case IntrinsicId::kDbgAssign:
    case IntrinsicId::kVarAnnotation:
    case IntrinsicId::kPrefetch:
    case IntrinsicId::kVaEnd:
    case IntrinsicId::kPseudoprobe:
      return true;
    default:
      return false;
  }
}

bool ArgumentHas(const ir::Function& function, const ir::Instruction& call, unsigned index,
                 Attribute attribute) {
  if (function.CallOf(call).attributes->OfParameter(index).Has(attribute)) return true;
  const ir::AttributeList* of_callee = CalleeAttributes(function, call);
  return of_callee != nullptr && of_callee->OfParameter(index).Has(attribute);
}

bool MayPassByValue(const ir::Function& function, const ir::Instruction& call) {
  return HasSomewhere(function, call, Attribute::kByVal);
}

Register OwnRegisterOf(const ir::Function& function, uint32_t parameter,
                       const Architecture& architecture) {
  const ir::AttributeSet& attributes = function.attributes().OfParameter(parameter);
  if (attributes.Has(Attribute::kSwiftError)) return architecture.swift.error;
  if (attributes.Has(Attribute::kSwiftSelf)) return architecture.swift.self;
  if (!attributes.Has(Attribute::kStructRet)) return kNoRegister;
  return architecture.ConventionOf(function.global().convention()).result_address;
}

OwnRegisters::OwnRegisters(const ir::Function& function, const ir::Instruction& call,
                           const Architecture& architecture, RegisterSet of_swift)
    : function_(function), call_(call), architecture_(architecture) {
  if (of_swift != 0) {
    has_error_ = HasSomewhere(function, call, Attribute::kSwiftError);
    has_self_ = HasSomewhere(function, call, Attribute::kSwiftSelf);
  }
  result_address_ = architecture.ConventionOf(function.CallOf(call).convention).result_address;
  has_any_ = has_error_ || has_self_ || result_address_ != kNoRegister;
}

Register OwnRegisters::Find(unsigned index) const {
  if (has_error_ && ArgumentHas(function_, call_, index, Attribute::kSwiftError)) {
    return architecture_.swift.error;
  }
  if (has_self_ && ArgumentHas(function_, call_, index, Attribute::kSwiftSelf)) {
    return architecture_.swift.self;
  }
  // Only one of the first two arguments may be the address of the result.
  const bool is_result_address = result_address_ != kNoRegister && index < 2 &&
                                 ArgumentHas(function_, call_, index, Attribute::kStructRet);
  return is_result_address ? result_address_ : kNoRegister;
}

RegisterSet SwiftRegistersOf(const ir::Function& function, const ir::Instruction& call,
                             const Architecture& architecture) {
  RegisterSet registers = 0;
  if (HasSomewhere(function, call, Attribute::kSwiftSelf)) {
    registers |= SetOf(architecture.swift.self);
  }
  if (HasSomewhere(function, call, Attribute::kSwiftError)) {
    registers |= SetOf(architecture.swift.error);
  }
  return registers;
}

bool ReturnsTwice(const ir::Function& function, const ir::Instruction& call) {
  if (function.CallOf(call).attributes->function.Has(Attribute::kReturnsTwice)) return true;
  const ir::Global* callee = NamedFunctionOf(function, call);
  return callee != nullptr && callee->attributes()->function.Has(Attribute::kReturnsTwice);
}

const ir::Global* ThreadLocalOf(const ir::Function& function, const ir::Instruction& freeze) {
  if (freeze.opcode != Opcode::kFreeze) return nullptr;
  const ir::Global* global = function.GlobalOf(function.OperandOf(freeze, 0));
  return global != nullptr && global->IsVariable() && global->IsThreadLocal() ? global : nullptr;
}

bool ComputesThreadLocal(const ir::Function& function, const ir::Instruction& instruction) {
  return ThreadLocalOf(function, instruction) != nullptr ||
         (instruction.opcode == Opcode::kCall &&
          function.IntrinsicOf(instruction) == IntrinsicId::kThreadlocalAddress);
}

bool MayBeCall(const ir::Function& function, const ir::Instruction& instruction,
               bool emulates_thread_locals) {
  const auto is_beyond_64_bits = [](const ir::Type* type) {
    return type->IsInteger() && type->number > 64;
  };
  switch (instruction.opcode) {
    case Opcode::kCall: {
      const IntrinsicId intrinsic = function.IntrinsicOf(instruction);
      switch (intrinsic) {
        case IntrinsicId::kNone:
          return !CallsEmptyAssembly(function, instruction);
        case IntrinsicId::kThreadlocalAddress:
          return emulates_thread_locals;
        case IntrinsicId::kMemcpy:
        case IntrinsicId::kMemcpyInline:
        case IntrinsicId::kMemmove:
        case IntrinsicId::kMemset:
        case IntrinsicId::kMemsetInline:
          return !IsMadeInLine(function, instruction);
        default:
          // Those that depend on the processor count as calls everywhere.
          return HasMathFunction(function, instruction, intrinsic);
      }
    }
    case Opcode::kInvoke:
    case Opcode::kResume:
    case Opcode::kLandingPad:
    case Opcode::kFRem:
      return true;
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
      return IsQuad(instruction.type);
    case Opcode::kFCmp:
      return IsQuad(TypeAt(function, instruction, 0));
    case Opcode::kFreeze:
      return emulates_thread_locals && ThreadLocalOf(function, instruction) != nullptr;
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
      return is_beyond_64_bits(instruction.type);
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return is_beyond_64_bits(instruction.type) || IsQuad(TypeAt(function, instruction, 0));
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return is_beyond_64_bits(TypeAt(function, instruction, 0)) || IsQuad(instruction.type);
    case Opcode::kFPExt:
      return IsSmallFloat(TypeAt(function, instruction, 0)) || IsQuad(instruction.type);
    case Opcode::kFPTrunc:
      return IsSmallFloat(instruction.type) || IsQuad(TypeAt(function, instruction, 0));
    default:
      return false;
  }
}

bool MayCallWrite(const ir::Function& function, const ir::Instruction& call) {
  return IntrinsicMayWrite(function.IntrinsicOf(call));
}

bool UsesWideRegisters(const ir::Function& function, const Architecture& architecture,
                       const CoverageOptions& options) {
  const ir::AttributeSet& attributes = function.attributes().function;
  if (architecture.has_sse) return UsesWideRegisters(attributes, options.has_avx);
  // Scalable registers have 16 bytes unless the function says more.
  return absl::StrContains(attributes.ValueOf("target-features"), "+sve");
}

Refusal RefusalOf(const ir::Function& function, const Architecture& architecture,
                  const CoverageOptions& options) {
  const ir::Global& global = function.global();
  if (!IsCoveredConvention(global.convention(), global.value_type()->is_variadic)) {
    return Refusal::kCallingConvention;
  }
  const CallingConvention& convention = architecture.ConventionOf(global.convention());
  if (HasRefusedAttribute(global.attributes()->function, convention) || HasUnusualParts(function)) {
    return Refusal::kFunctionAttribute;
  }
  if (!options.ignores_debug_information &&
      (function.has_debug_information || global.has_debug_information())) {
    return Refusal::kDebugInformation;
  }
  if (HasUncoveredPersonality(function)) return Refusal::kException;
  return RefusalOfSignature(function, {function, architecture, options, convention});
}

Refusal RefusalOf(const ir::Function& function, const ir::Instruction& instruction,
                  const Architecture& architecture, const CoverageOptions& options) {
  if (instruction.has_unknown) return Refusal::kInstruction;
  if (options.refuses_thread_locals && ComputesThreadLocal(function, instruction)) {
    return Refusal::kVariable;
  }
  if (IsForeignFloat(instruction.type, architecture)) return Refusal::kType;
  if (ir::IsBinary(instruction.opcode)) return RefusalOfBinary(function, instruction);
  switch (instruction.opcode) {
    case Opcode::kFNeg:
      return RefusalOfBinary(function, instruction);
    case Opcode::kICmp:
    case Opcode::kFCmp: {
      const ir::Type* type = TypeAt(function, instruction, 0);
      if (PartCount(type) == 0 || PartCount(instruction.type) == 0) return Refusal::kType;
      if (IsForeignFloat(type, architecture) || HasSmallFloats(type)) return Refusal::kType;
      // Two functions would have to be called for these.
      if (IsQuad(type) && (instruction.predicate() == ir::Predicate::kOne ||
                           instruction.predicate() == ir::Predicate::kUeq)) {
        return Refusal::kType;
      }
      return RefusalOfOperands(function, instruction);
    }
    case Opcode::kSelect:
      if (PartCount(TypeAt(function, instruction, 0)) == 0) return Refusal::kType;
      [[fallthrough]];
    case Opcode::kFreeze:
    case Opcode::kPhi:
      if (PartCount(instruction.type) == 0) return Refusal::kType;
      if (ThreadLocalOf(function, instruction) != nullptr) return Refusal::kNone;
      return RefusalOfOperands(function, instruction);
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kBitCast:
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return RefusalOfCast(function, instruction, architecture);
    case Opcode::kGetElementPtr:
      return RefusalOfElementAddress(function, instruction);
    case Opcode::kLoad:
      return RefusalOfAccess(function, instruction, instruction.type, options);
    case Opcode::kStore:
      return RefusalOfAccess(function, instruction, TypeAt(function, instruction, 1), options);
    case Opcode::kAlloca:
      return RefusalOfAlloca(function, instruction);
    case Opcode::kAtomicRmw:
      return RefusalOfAtomicUpdate(function, instruction, options);
    case Opcode::kCmpXchg:
      if (!IsExchanged(TypeAt(function, instruction, 2), instruction, options)) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(function, instruction);
    case Opcode::kExtractValue:
      return RefusalOfTypes(function, instruction, TypeAt(function, instruction, 0),
                            Refusal::kAggregate);
    case Opcode::kInsertValue:
      return RefusalOfTypes(function, instruction, TypeAt(function, instruction, 1),
                            Refusal::kAggregate);
    case Opcode::kSwitch:
      if (!IsScalar(TypeAt(function, instruction, 0))) return Refusal::kType;
      return RefusalOfOperands(function, instruction);
    case Opcode::kBr:
    case Opcode::kFence:
    case Opcode::kUnreachable:
    case Opcode::kRet:
    case Opcode::kResume:
    case Opcode::kIndirectBr:
      return RefusalOfOperands(function, instruction);
    case Opcode::kLandingPad:
      return RefusalOfLandingPad(function, instruction);
    case Opcode::kCall:
    case Opcode::kInvoke:
      return RefusalOfCall(function, instruction, architecture, options);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      return RefusalOfTypes(function, instruction, TypeAt(function, instruction, 0),
                            Refusal::kType);
    default:
      return Refusal::kInstruction;
  }
}

}  // namespace firstcall::baseline
