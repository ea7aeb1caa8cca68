#include "backend/baseline/intrinsic_coverage.h"

#include "absl/strings/string_view.h"
#include "backend/baseline/call_attributes.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/operand_coverage.h"
#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/global.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;

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
      return if_covered(function.TypeAt(call, 2)->IsInteger(64) || IsMadeInLine(function, call));
    case IntrinsicId::kUaddWithOverflow:
    case IntrinsicId::kSaddWithOverflow:
    case IntrinsicId::kUsubWithOverflow:
    case IntrinsicId::kSsubWithOverflow: {
      const ir::Type* operand = function.TypeAt(call, 0);
      return if_covered(IsWholeWidth(operand) || operand->IsInteger(128));
    }
    case IntrinsicId::kUmulWithOverflow:
    case IntrinsicId::kSmulWithOverflow:
      return if_covered(IsWholeWidth(function.TypeAt(call, 0)));
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
      return PartCount(function.TypeAt(call, 0)) != 0 ? Refusal::kNone : Refusal::kVector;
    case IntrinsicId::kVectorReduceFadd:
    case IntrinsicId::kVectorReduceFmul:
      return IsScalarFloat(type) && PartCount(function.TypeAt(call, 1)) != 0 ? Refusal::kNone
                                                                             : Refusal::kVector;
    case IntrinsicId::kMaskedLoad:
    case IntrinsicId::kMaskedGather:
    case IntrinsicId::kMaskedExpandload:
      return RefusalOfMaskedAccess(
          type, function.TypeAt(call, 0),
          function.TypeAt(call, ir::MaskOfLoad(function.CallOf(call).argument_count)));
    case IntrinsicId::kMaskedStore:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedCompressstore:
      return RefusalOfMaskedAccess(
          function.TypeAt(call, 0), function.TypeAt(call, 1),
          function.TypeAt(call, ir::MaskOfStore(function.CallOf(call).argument_count)));
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
      const ir::Type* const number = function.TypeAt(call, 0);
      return if_covered(type->IsInteger(1) && (IsScalarFloat(number) || IsSmallFloat(number)) &&
                        classes != nullptr && classes->IsInteger());
    }
    default:
      return RefusalOfMath(function, call, intrinsic, options);
  }
}

}  // namespace

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

}  // namespace firstcall::baseline
