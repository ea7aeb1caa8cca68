#include "ir/check_intrinsic.h"

#include <cstddef>

#include "absl/strings/string_view.h"
#include "ir/attributes.h"
#include "ir/check_constraints.h"
#include "ir/constant.h"
#include "ir/constrained.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

// A signature: a letter for the result, then one for each parameter.
//   v  void                        b, 8, w, l  i1, i8, i32, i64
//   i  an integer                  d           double
//   I  integers                    p           a pointer of address space 0
//   F  floating-point numbers      P           any pointer
//   V  a vector of integers        X           a vector of 16 bytes
//   N  a vector of floating-point numbers
//   *  whatever follows
// and what depends on the first parameter:
//   A  the same type               O           a structure of it and of truth values
//   E  its element                 R           as many integers, of at most 64 bits
//   W  a vector of it              T           as many truth values
// Integers and floating-point numbers are one number or a vector of such numbers. Empty: code
// generation does not rely on the signature.
absl::string_view SignatureOf(IntrinsicId intrinsic) {
  switch (intrinsic) {
    // These need no code, whatever their arguments are.
    case IntrinsicId::kAssume:
    case IntrinsicId::kDbgAssign:
    case IntrinsicId::kDbgDeclare:
    case IntrinsicId::kDbgLabel:
    case IntrinsicId::kDbgValue:
    case IntrinsicId::kDonothing:
    case IntrinsicId::kExperimentalNoaliasScopeDecl:
    case IntrinsicId::kInvariantEnd:
    case IntrinsicId::kPrefetch:
    case IntrinsicId::kPseudoprobe:
    case IntrinsicId::kSideeffect:
    case IntrinsicId::kVaEnd:
    case IntrinsicId::kVarAnnotation:
      return "v*";
    case IntrinsicId::kLifetimeEnd:
    case IntrinsicId::kLifetimeStart:
      return "vlP";
    case IntrinsicId::kAbs:
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCttz:
      return "AIb";
    case IntrinsicId::kBitreverse:
    case IntrinsicId::kBswap:
    case IntrinsicId::kCtpop:
      return "AI";
    case IntrinsicId::kAcos:
    case IntrinsicId::kAsin:
    case IntrinsicId::kAtan:
    case IntrinsicId::kCeil:
    case IntrinsicId::kCos:
    case IntrinsicId::kCosh:
    case IntrinsicId::kExp:
    case IntrinsicId::kExp2:
    case IntrinsicId::kFabs:
    case IntrinsicId::kFloor:
    case IntrinsicId::kLog:
    case IntrinsicId::kLog10:
    case IntrinsicId::kLog2:
    case IntrinsicId::kNearbyint:
    case IntrinsicId::kRint:
    case IntrinsicId::kRound:
    case IntrinsicId::kRoundeven:
    case IntrinsicId::kSin:
    case IntrinsicId::kSinh:
    case IntrinsicId::kSqrt:
    case IntrinsicId::kTan:
    case IntrinsicId::kTanh:
    case IntrinsicId::kTrunc:
      return "AF";
    case IntrinsicId::kCopysign:
    case IntrinsicId::kMaximum:
    case IntrinsicId::kMaxnum:
    case IntrinsicId::kMinimum:
    case IntrinsicId::kMinnum:
    case IntrinsicId::kPow:
      return "AFA";
    case IntrinsicId::kFma:
    case IntrinsicId::kFmuladd:
      return "AFAA";
    case IntrinsicId::kFptosiSat:
    case IntrinsicId::kFptouiSat:
    case IntrinsicId::kLlrint:
    case IntrinsicId::kLlround:
    case IntrinsicId::kLrint:
    case IntrinsicId::kLround:
      return "RF";
    case IntrinsicId::kLdexp:
      return "AFi";
    case IntrinsicId::kExpect:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSmax:
    case IntrinsicId::kSmin:
    case IntrinsicId::kSsubSat:
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUmax:
    case IntrinsicId::kUmin:
    case IntrinsicId::kUsubSat:
      return "AIA";
    case IntrinsicId::kExpectWithProbability:
      return "AIAd";
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
      return "AIAA";
    case IntrinsicId::kSaddWithOverflow:
    case IntrinsicId::kSmulWithOverflow:
    case IntrinsicId::kSsubWithOverflow:
    case IntrinsicId::kUaddWithOverflow:
    case IntrinsicId::kUmulWithOverflow:
    case IntrinsicId::kUsubWithOverflow:
      return "OIA";
    case IntrinsicId::kVectorReduceFadd:
    case IntrinsicId::kVectorReduceFmul:
      return "AFW";
    case IntrinsicId::kIsFpclass:
    case IntrinsicId::kMaskedExpandload:
    case IntrinsicId::kMaskedGather:
    case IntrinsicId::kMaskedLoad:
    case IntrinsicId::kVectorExtract:
    case IntrinsicId::kVectorInsert:
      return "*";
    case IntrinsicId::kMaskedCompressstore:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedStore:
      return "v*";
    case IntrinsicId::kVectorReduceFmax:
    case IntrinsicId::kVectorReduceFmaximum:
    case IntrinsicId::kVectorReduceFmin:
    case IntrinsicId::kVectorReduceFminimum:
      return "EN";
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceAnd:
    case IntrinsicId::kVectorReduceMul:
    case IntrinsicId::kVectorReduceOr:
    case IntrinsicId::kVectorReduceSmax:
    case IntrinsicId::kVectorReduceSmin:
    case IntrinsicId::kVectorReduceUmax:
    case IntrinsicId::kVectorReduceUmin:
    case IntrinsicId::kVectorReduceXor:
      return "EV";
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
      return "vPPib";
    case IntrinsicId::kMemset:
    case IntrinsicId::kMemsetInline:
      return "vP8ib";
    case IntrinsicId::kLaunderInvariantGroup:
    case IntrinsicId::kStripInvariantGroup:
      return "pp";
    case IntrinsicId::kThreadlocalAddress:
      return "AP";
    case IntrinsicId::kPtrmask:
      return "ppl";
    case IntrinsicId::kLoadRelative:
      return "ppi";
    case IntrinsicId::kInvariantStart:
      return "plP";
    case IntrinsicId::kStacksave:
      return "p";
    case IntrinsicId::kStackrestore:
    case IntrinsicId::kVaStart:
      return "vp";
    case IntrinsicId::kVaCopy:
      return "vpp";
    case IntrinsicId::kFrameaddress:
    case IntrinsicId::kReturnaddress:
      return "pw";
    case IntrinsicId::kEhTypeidFor:
      return "wP";
    case IntrinsicId::kDebugtrap:
    case IntrinsicId::kTrap:
      return "v";
    case IntrinsicId::kUbsantrap:
      return "v8";
    case IntrinsicId::kX86SseCvtss2si:
    case IntrinsicId::kX86SseCvttss2si:
    case IntrinsicId::kX86SseMovmskPs:
    case IntrinsicId::kX86Sse2Cvtsd2si:
    case IntrinsicId::kX86Sse2Cvttsd2si:
    case IntrinsicId::kX86Sse2MovmskPd:
    case IntrinsicId::kX86Sse2Pmovmskb128:
      return "wX";
    case IntrinsicId::kX86SseCvtss2si64:
    case IntrinsicId::kX86SseCvttss2si64:
    case IntrinsicId::kX86Sse2Cvtsd2si64:
    case IntrinsicId::kX86Sse2Cvttsd2si64:
      return "lX";
    case IntrinsicId::kX86SseMaxPs:
    case IntrinsicId::kX86SseMaxSs:
    case IntrinsicId::kX86SseMinPs:
    case IntrinsicId::kX86SseMinSs:
    case IntrinsicId::kX86Sse2MaxPd:
    case IntrinsicId::kX86Sse2MaxSd:
    case IntrinsicId::kX86Sse2MinPd:
    case IntrinsicId::kX86Sse2MinSd:
    case IntrinsicId::kX86Sse2Packssdw128:
    case IntrinsicId::kX86Sse2Packsswb128:
    case IntrinsicId::kX86Sse2Packuswb128:
    case IntrinsicId::kX86Sse2PavgB:
    case IntrinsicId::kX86Sse2PavgW:
    case IntrinsicId::kX86Sse2PmaddWd:
    case IntrinsicId::kX86Sse2PmulhW:
    case IntrinsicId::kX86Sse2PmulhuW:
    case IntrinsicId::kX86Sse2PsadBw:
    case IntrinsicId::kX86Sse2PsllD:
    case IntrinsicId::kX86Sse2PsllQ:
    case IntrinsicId::kX86Sse2PsllW:
    case IntrinsicId::kX86Sse2PsraD:
    case IntrinsicId::kX86Sse2PsraW:
    case IntrinsicId::kX86Sse2PsrlD:
    case IntrinsicId::kX86Sse2PsrlQ:
    case IntrinsicId::kX86Sse2PsrlW:
      return "XXX";
    case IntrinsicId::kX86SseRcpPs:
    case IntrinsicId::kX86SseRcpSs:
    case IntrinsicId::kX86SseRsqrtPs:
    case IntrinsicId::kX86SseRsqrtSs:
    case IntrinsicId::kX86Sse2Cvtpd2dq:
    case IntrinsicId::kX86Sse2Cvtps2dq:
    case IntrinsicId::kX86Sse2Cvttpd2dq:
    case IntrinsicId::kX86Sse2Cvttps2dq:
      return "XX";
    case IntrinsicId::kX86Sse2PslliD:
    case IntrinsicId::kX86Sse2PslliQ:
    case IntrinsicId::kX86Sse2PslliW:
    case IntrinsicId::kX86Sse2PsraiD:
    case IntrinsicId::kX86Sse2PsraiW:
    case IntrinsicId::kX86Sse2PsrliD:
    case IntrinsicId::kX86Sse2PsrliQ:
    case IntrinsicId::kX86Sse2PsrliW:
      return "XXw";
    default:  // Code generation leaves these to LLVM, but for constrained ones (below).
      return {};
  }
}

// What the operation has without its texts. Empty: it is a cast.
absl::string_view SignatureOf(const ConstrainedOperation& operation) {
  switch (operation.opcode) {
    case Opcode::kCall:
      return SignatureOf(operation.plain);
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFRem:
      return "AFA";
    case Opcode::kFCmp:
      return "TFA";
    default:
      return {};
  }
}

// A signature that the intrinsic has in a later version of LLVM, as well.
absl::string_view LaterSignatureOf(IntrinsicId intrinsic) {
  switch (intrinsic) {
    // LLVM 22 has left out the size.
    case IntrinsicId::kLifetimeEnd:
    case IntrinsicId::kLifetimeStart:
      return "vP";
    default:
      return {};
  }
}

bool IsOverflowOf(const Type& type, const Type& operand) {
  return type.IsStruct() && !type.is_packed && type.members().size() == 2 &&
         type.members()[0] == &operand && IsTruthOf(*type.members()[1], operand);
}

// `first`: the type of the first parameter.
bool Fits(char letter, const Type& type, const Type& first) {
  switch (letter) {
    case 'v':
      return type.IsVoid();
    case 'b':
      return type.IsInteger(1);
    case '8':
      return type.IsInteger(8);
    case 'w':
      return type.IsInteger(32);
    case 'l':
      return type.IsInteger(64);
    case 'd':
      return type.IsDouble();
    case 'i':
      return type.IsInteger();
    case 'I':
      return HasIntegers(type);
    case 'F':
      return HasFloats(type);
    case 'V':
      return type.IsVector() && HasIntegers(type);
    case 'N':
      return type.IsVector() && HasFloats(type);
    case 'X':
      return type.IsFixedVector() && type.bit_size == 128;
    case 'p':
      return type.IsPointer() && type.number == 0;
    case 'P':
      return type.IsPointer();
    case 'A':
      return &type == &first;
    case 'E':
      return first.IsVector() && &type == first.element();
    case 'W':
      return type.IsVector() && type.element() == &first;
    case 'O':
      return IsOverflowOf(type, first);
    case 'T':
      return IsTruthOf(type, first);
    default:  // 'R'
      return HasIntegers(type) && type.scalar()->number <= 64 && HaveSameShape(type, first);
  }
}

// `parts`: the types of the result and of the parameters.
bool HasSignature(absl::Span<const Type* const> parts, absl::string_view signature) {
  const Type& first = *parts[parts.size() > 1 ? 1 : 0];
  size_t count = 0;
  for (; count < signature.size() && signature[count] != '*'; ++count) {
    if (count == parts.size() || !Fits(signature[count], *parts[count], first)) return false;
  }
  return count == parts.size() || count != signature.size();
}

// A load or a store of the lanes of `vector` for which a mask says so. A gather and a scatter have
// a vector of pointers (`is_spread`): an address for each lane.
bool IsMaskedAccess(const Type& vector, const Type& pointer, bool is_spread, const Type& mask) {
  const bool has_address = is_spread ? pointer.IsVector() && pointer.element()->IsPointer() &&
                                           HaveSameShape(pointer, vector)
                                     : pointer.IsPointer();
  return has_address && vector.IsVector() && HasPlainValues(*vector.element()) &&
         IsTruthOf(mask, vector);
}

// `types`: of the result and of the parameters. Before LLVM 22, accesses but those of lanes that
// lie next to each other have the alignment as a fourth argument, in front of the mask.
Fault CheckMaskedAccess(IntrinsicId intrinsic, absl::Span<const Type* const> types,
                        size_t arguments) {
  const bool is_load = !types[0]->IsVoid();
  const bool is_dense =
      intrinsic == IntrinsicId::kMaskedExpandload || intrinsic == IntrinsicId::kMaskedCompressstore;
  const bool is_spread =
      intrinsic == IntrinsicId::kMaskedGather || intrinsic == IntrinsicId::kMaskedScatter;
  const auto count = static_cast<uint32_t>(types.size() - 1);
  const bool has_alignment = count == 4 && !is_dense;
  const auto type = [&](uint32_t argument) -> const Type& { return *types[argument + 1]; };
  const bool fits =
      arguments == count && (count == 3 || has_alignment) &&
      (!has_alignment || type(is_load ? 1 : 2).IsInteger(32)) &&
      (is_load ? &type(count - 1) == types[0] &&
                     IsMaskedAccess(*types[0], type(0), is_spread, type(MaskOfLoad(count)))
               : IsMaskedAccess(type(0), type(1), is_spread, type(MaskOfStore(count))));
  return fits ? Fault()
              : Fault::Unknown("a masked access with other arguments than the known ones");
}

// `part` is a part of `whole`, from lane number `index` on.
Fault CheckSubvector(const Type& whole, const Type& part, Operand index,
                     const OperandScope& scope) {
  const Constant* const first = scope.ConstantOf(index);
  const bool fits = whole.IsFixedVector() && part.IsFixedVector() &&
                    whole.element() == part.element() && first != nullptr && first->IsInteger() &&
                    first->type->IsInteger(64) && part.count <= whole.count &&
                    first->bits() <= whole.count - part.count;
  return fits ? Fault() : Fault::Unknown("a vector that is no part of the other one");
}

// What a signature cannot say. `types`: of the result and of the arguments.
Fault CheckSpecialRules(IntrinsicId intrinsic, absl::Span<const Type* const> types,
                        absl::Span<const Operand> arguments, const Type& caller,
                        const OperandScope& scope) {
  const Type& result = *types[0];
  const auto type = [&](uint32_t index) -> const Type& { return *scope.TypeOf(arguments[index]); };
  switch (intrinsic) {
    case IntrinsicId::kMaskedLoad:
    case IntrinsicId::kMaskedStore:
    case IntrinsicId::kMaskedGather:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedExpandload:
    case IntrinsicId::kMaskedCompressstore:
      return CheckMaskedAccess(intrinsic, types, arguments.size());
    case IntrinsicId::kVectorExtract:
      if (arguments.size() != 2) return Fault::Unknown("an extraction with other arguments");
      return CheckSubvector(type(0), result, arguments[1], scope);
    case IntrinsicId::kVectorInsert:
      if (arguments.size() != 3 || &type(0) != &result) {
        return Fault::Unknown("an insertion with other arguments");
      }
      return CheckSubvector(result, type(1), arguments[2], scope);
    case IntrinsicId::kBswap:
      return scope.TypeOf(arguments[0])->scalar()->number % 16 == 0
                 ? Fault()
                 : Fault::Invalid("the number of bytes to swap is not even");
    case IntrinsicId::kIsFpclass: {
      // The result's type is checked where the intrinsic is covered.
      const bool is_whole = arguments.size() == 2 && HasFloats(*scope.TypeOf(arguments[0])) &&
                            scope.TypeOf(arguments[1])->IsInteger(32);
      return is_whole ? Fault() : Fault::Invalid("the arguments are not a number and classes");
    }
    case IntrinsicId::kVaStart:
      return caller.is_variadic
                 ? Fault()
                 : Fault::Invalid("the function that calls va_start is not variadic");
    case IntrinsicId::kThreadlocalAddress: {
      const Global* const variable = scope.GlobalOf(arguments[0]);
      return variable != nullptr && variable->IsThreadLocal()
                 ? Fault()
                 : Fault::Invalid("the argument is no thread-local variable");
    }
    default:
      return {};
  }
}

// `type`: that of the intrinsic.
Fault CheckConstrained(const ConstrainedOperation& operation, const Type& type,
                       absl::Span<const Operand> arguments, const OperandScope& scope) {
  if (arguments.size() != operation.argument_count + operation.text_count()) {
    return Fault::Invalid("a constrained operation lacks arguments, or has too many");
  }
  const absl::Span<const Type* const> parts =
      type.contained.subspan(0, operation.argument_count + 1u);
  if (const absl::string_view signature = SignatureOf(operation); !signature.empty()) {
    if (!HasSignature(parts, signature)) {
      return Fault::Unknown("a constrained operation with another signature than the known one");
    }
  } else if (Fault fault = CheckCast(operation.opcode, *parts[1], *parts[0])) {
    return fault;
  }
  return CheckConstraints(operation, arguments.subspan(operation.argument_count), scope);
}

Fault CheckImmediates(const AttributeList& attributes, absl::Span<const Operand> arguments,
                      const OperandScope& scope) {
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    if (!attributes.OfParameter(i).Has(Attribute::kImmArg)) continue;
    const Constant* const constant = scope.ConstantOf(arguments[i]);
    if (constant == nullptr ||
        (constant->kind != ConstantKind::kInteger && constant->kind != ConstantKind::kFloat)) {
      return Fault::Invalid("an argument that must be a number is none");
    }
  }
  return {};
}

}  // namespace

Fault CheckIntrinsic(const Global& callee, absl::Span<const Operand> arguments, const Type& caller,
                     const OperandScope& scope) {
  if (callee.attributes()->HasAnywhere(Attribute::kImmArg)) {
    if (Fault fault = CheckImmediates(*callee.attributes(), arguments, scope)) return fault;
  }
  const Type& type = *callee.value_type();
  if (const ConstrainedOperation* constrained = ConstrainedOperationOf(callee.intrinsic())) {
    return CheckConstrained(*constrained, type, arguments, scope);
  }
  const absl::string_view signature = SignatureOf(callee.intrinsic());
  if (signature.empty()) return {};
  if (!HasSignature(type.contained, signature) &&
      !HasSignature(type.contained, LaterSignatureOf(callee.intrinsic()))) {
    return Fault::Unknown("an intrinsic with another signature than the known one");
  }
  return CheckSpecialRules(callee.intrinsic(), type.contained, arguments, caller, scope);
}

}  // namespace firstcall::ir
