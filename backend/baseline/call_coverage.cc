#include "backend/baseline/call_coverage.h"

#include "absl/types/span.h"
#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/intrinsic_coverage.h"
#include "backend/baseline/operand_coverage.h"
#include "backend/baseline/passing_coverage.h"
#include "backend/baseline/tail_call_coverage.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;
using ir::IntrinsicId;
using ir::Opcode;

// Whether a call with these attributes, its own or those of what it calls, extends such integers.
bool ExtendsWide(const ir::Function& function, const ir::Instruction& call,
                 const ir::AttributeList& attributes) {
  if (!attributes.HasAnywhere(Attribute::kZExt) && !attributes.HasAnywhere(Attribute::kSExt)) {
    return false;
  }
  if (IsExtendedWide(call.type, attributes.result)) return true;
  const uint32_t count = function.CallOf(call).argument_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (IsExtendedWide(function.TypeAt(call, i), attributes.OfParameter(i))) return true;
  }
  return false;
}

// Whether values of the type have no bits, such as those of an empty structure.
bool IsEmpty(const ir::Type* type) {
  return type->IsAggregate() && type->is_sized && type->alloc_size == 0;
}

// Of a call with these attributes, its own or those of what it calls.
Refusal RefusalOfAttributes(const ir::Function& function, const ir::Instruction& call,
                            const ir::AttributeList& attributes,
                            const CallingConvention& convention) {
  if (ExtendsWide(function, call, attributes) || !IsCovered(attributes, convention)) {
    return Refusal::kArgumentPassing;
  }
  return LeavesConvention(attributes.function, convention) ? Refusal::kFunctionAttribute
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

}  // namespace

Refusal RefusalOfCall(const ir::Function& function, const ir::Instruction& instruction,
                      const Architecture& architecture, const CoverageOptions& options) {
  const ir::Call& call = function.CallOf(instruction);
  if (call.attributes->HasAnywhere(Attribute::kUnknown)) return Refusal::kArgumentPassing;
  if (const IntrinsicId id = function.IntrinsicOf(instruction); id != IntrinsicId::kNone) {
    if (instruction.opcode == Opcode::kInvoke) return Refusal::kException;
    if (call.argument_count != 0) {
      const ir::Type* const type = function.TypeAt(instruction, 0);
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

}  // namespace firstcall::baseline
