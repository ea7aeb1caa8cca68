#include "backend/baseline/coverage.h"

#include <algorithm>

#include "backend/baseline/argument_places.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/value_parts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace firstcall::baseline {
namespace {

using llvm::Attribute;
using llvm::Instruction;

bool IsCoveredConvention(llvm::CallingConv::ID convention, bool is_variadic) {
  return convention == llvm::CallingConv::C || convention == llvm::CallingConv::Fast ||
         convention == llvm::CallingConv::X86_64_SysV ||
         (convention == llvm::CallingConv::Swift && !is_variadic);
}

// Whether the call, or the function that it calls, has the attribute for an argument or a result.
bool HasSomewhere(const llvm::CallBase& call, Attribute::AttrKind kind) {
  if (call.getAttributes().hasAttrSomewhere(kind)) return true;
  const llvm::Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getAttributes().hasAttrSomewhere(kind);
}

// The type of everything that is passed in the register of one of Swift's attributes.
bool FillsRegister(const llvm::Type* type) { return type->isPointerTy() || type->isIntegerTy(64); }

// Whether parameters, or arguments, with these attributes are passed as ArgumentPlaces says. Looks
// at the whole list, results included, because that is much faster than looking at each parameter.
bool IsCovered(const llvm::AttributeList& attributes, const CallingConvention& convention,
               const llvm::DataLayout& layout) {
  if (attributes.isEmpty()) return true;
  if (convention.has_array_blocks && attributes.hasAttrSomewhere(Attribute::StackAlignment)) {
    for (const llvm::AttributeSet& set : attributes) {
      // For 8 it changes nothing.
      if (set.getStackAlignment().valueOrOne() > 8) return false;
    }
  }
  for (Attribute::AttrKind kind : {Attribute::Nest, Attribute::InAlloca, Attribute::Preallocated,
                                   Attribute::SwiftAsync, Attribute::InReg}) {
    if (attributes.hasAttrSomewhere(kind)) return false;
  }
  if (!attributes.hasAttrSomewhere(Attribute::ByVal)) return true;
  for (const llvm::AttributeSet& set : attributes) {
    if (!set.hasAttribute(Attribute::ByVal)) continue;
    if (ByValueAlignment(set, layout) > 16) return false;
  }
  return true;
}

// A vector of i1, which has no place in memory and is passed to nobody.
bool IsMask(const llvm::Type* type) {
  return type->isVectorTy() && type->getScalarType()->isIntegerTy(1);
}

// Whether the type is, or has, a vector of i1, or is none that is supported.
bool HasMask(const llvm::Type* type) {
  if (!type->isAggregateType()) return IsMask(type);
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (const llvm::Type* member : structure->elements()) {
      if (HasMask(member)) return true;
    }
  }
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    return HasMask(array->getElementType());
  }
  return false;
}

// Whether the type is an aggregate that has integers of more than 64 bits.
bool HasWideMember(const llvm::Type* type) {
  return type->isAggregateType() && llvm::any_of(type->subtypes(), [](const llvm::Type* member) {
           return (member->isIntegerTy() && PartCount(member) > 1) || HasWideMember(member);
         });
}

// Whether values of the type are passed part by part, as ArgumentPlaces says.
bool IsPassedInParts(const llvm::Type* type, const CallingConvention& convention) {
  const auto is_covered_member = [&](const llvm::Type* member) {
    const bool is_wide = member->isIntegerTy() && PartCount(member) > 1;
    const bool is_extended = member->isIntegerTy(1) && convention.extends_bits;
    return !(is_wide && convention.has_wide_members) && !is_extended &&
           IsPassedInParts(member, convention);
  };
  if (const auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    return llvm::all_of(structure->elements(), is_covered_member);
  }
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    return is_covered_member(array->getElementType());
  }
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    const PartList list = PartsOf(vector);
    return list.count == 1 && list.parts[0].bytes >= convention.least_vector_bytes;
  }
  return true;
}

bool IsCoveredReturn(const llvm::Type* type, const CallingConvention& convention) {
  if (type->isVoidTy()) return true;
  const PartList list = PartsOf(type);
  return list.count != 0 && !HasMask(type) && IsPassedInParts(type, convention) &&
         IsReturnedInRegisters(list, convention);
}

// Of a type of arguments. What takes no place is passed as LLVM decides.
Refusal RefusalOfPassing(const llvm::Type* type, const CallingConvention& convention) {
  if (type->isIntOrPtrTy()) return PartCount(type) == 0 ? Refusal::kType : Refusal::kNone;
  if (PartCount(type) == 0 || HasMask(type)) return Refusal::kType;
  // On the stack, the first half of a wide integer is aligned to 16 bytes.
  if (HasWideMember(type)) return Refusal::kArgumentPassing;
  return IsPassedInParts(type, convention) ? Refusal::kNone : Refusal::kArgumentPassing;
}

// Whether an integer with these attributes is extended to 128 bits, which is LLVM's to do.
bool IsExtendedWide(const llvm::Type* type, const llvm::AttributeSet& attributes) {
  return type->isIntegerTy() && type->getIntegerBitWidth() > 64 &&
         type->getIntegerBitWidth() < 128 &&
         (attributes.hasAttribute(Attribute::ZExt) || attributes.hasAttribute(Attribute::SExt));
}

// Whether the call extends such integers, by its own attributes or those of what it calls.
bool ExtendsWide(const llvm::CallBase& call) {
  const auto extends = [&](const llvm::AttributeList& attributes) {
    if (attributes.isEmpty()) return false;
    if (IsExtendedWide(call.getType(), attributes.getRetAttrs())) return true;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      if (IsExtendedWide(call.getArgOperand(i)->getType(), attributes.getParamAttrs(i))) {
        return true;
      }
    }
    return false;
  };
  const llvm::Function* const callee = call.getCalledFunction();
  return extends(call.getAttributes()) || (callee != nullptr && extends(callee->getAttributes()));
}

bool IsWholeWidth(const llvm::Type* type) {
  return type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32) ||
         type->isIntegerTy(64);
}

bool IsScalarFloat(const llvm::Type* type) { return type->isFloatTy() || type->isDoubleTy(); }

// Integers and pointers in one general register.
bool IsScalar(const llvm::Type* type) {
  return type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

Refusal RefusalOfOperands(const llvm::Instruction& instruction) {
  const llvm::Function& function = *instruction.getFunction();
  for (const llvm::Use& use : instruction.operands()) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(use.get());
    if (constant == nullptr) continue;
    if (!IsSupported(*constant, function)) {
      return llvm::isa<llvm::BlockAddress>(constant) ? Refusal::kBlockAddress : Refusal::kConstant;
    }
  }
  return Refusal::kNone;
}

// Whether LLVM fuses multiplications with additions in this function, of x86-64. The CPU and the
// features that the function names count, and not the machine's.
bool FusesMultiplications(const llvm::Function& function, const CoverageOptions& options) {
  llvm::StringMap<bool> has;
  const llvm::StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  if (cpu.empty()) {
    has["fma"] = options.has_fusion;
  } else if (llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef, 64> of_cpu;
    llvm::X86::getFeaturesForCPU(cpu, of_cpu);
    for (llvm::StringRef feature : of_cpu) has[feature] = true;
  }
  llvm::SmallVector<llvm::StringRef, 64> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',');
  for (llvm::StringRef feature : features) {
    const bool is_on = feature.consume_front("+");
    if (!is_on && !feature.consume_front("-")) continue;
    has[feature] = is_on;
    llvm::X86::updateImpliedFeatures(feature, is_on, has);
  }
  return has.lookup("fma") || has.lookup("fma4");
}

Refusal RefusalOfIntrinsic(const llvm::IntrinsicInst& intrinsic, const CoverageOptions& options) {
  const llvm::Type* type = intrinsic.getType();
  if (IsNoOperation(intrinsic)) return Refusal::kNone;
  const Refusal of_operands = RefusalOfOperands(intrinsic);
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::threadlocal_address:
      return llvm::isa<llvm::GlobalVariable>(intrinsic.getArgOperand(0)) ? Refusal::kNone
                                                                         : Refusal::kConstant;
    case llvm::Intrinsic::memset_inline:
      return IsMadeInLine(intrinsic) ? of_operands : Refusal::kIntrinsic;  // It must call nothing.
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset:
      if (!intrinsic.getArgOperand(2)->getType()->isIntegerTy(64)) {
        if (!IsMadeInLine(intrinsic)) return Refusal::kIntrinsic;
      }
      return of_operands;
    case llvm::Intrinsic::uadd_with_overflow:
    case llvm::Intrinsic::sadd_with_overflow:
    case llvm::Intrinsic::usub_with_overflow:
    case llvm::Intrinsic::ssub_with_overflow: {
      const llvm::Type* operand = intrinsic.getArgOperand(0)->getType();
      return IsWholeWidth(operand) || operand->isIntegerTy(128) ? of_operands : Refusal::kIntrinsic;
    }
    case llvm::Intrinsic::umul_with_overflow:
    case llvm::Intrinsic::smul_with_overflow:
      return IsWholeWidth(intrinsic.getArgOperand(0)->getType()) ? of_operands
                                                                 : Refusal::kIntrinsic;
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
      if (type->isVectorTy()) {
        return PartCount(type) != 0 && !IsMask(type) ? of_operands : Refusal::kVector;
      }
      return IsWholeWidth(type) ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
      return IsWholeWidth(type) ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::bswap:
      return IsScalar(type) ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::ctpop:
      return IsScalar(type) && options.has_popcnt ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
      return IsScalar(type) ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::objectsize:
    case llvm::Intrinsic::is_constant:
      // Code that -O0 removes may not be able to link.
      return Refusal::kIntrinsic;
    case llvm::Intrinsic::vector_reduce_add:
    case llvm::Intrinsic::vector_reduce_and:
    case llvm::Intrinsic::vector_reduce_or:
    case llvm::Intrinsic::vector_reduce_xor:
    case llvm::Intrinsic::vector_reduce_smax:
    case llvm::Intrinsic::vector_reduce_smin:
    case llvm::Intrinsic::vector_reduce_umax:
    case llvm::Intrinsic::vector_reduce_umin: {
      const llvm::Type* operand = intrinsic.getArgOperand(0)->getType();
      const bool is_logical = intrinsic.getIntrinsicID() == llvm::Intrinsic::vector_reduce_and ||
                              intrinsic.getIntrinsicID() == llvm::Intrinsic::vector_reduce_or;
      return PartCount(operand) == 0 || (IsMask(operand) && !is_logical) ? Refusal::kVector
                                                                         : of_operands;
    }
    case llvm::Intrinsic::ptrmask:
      return IsScalar(type) ? of_operands : Refusal::kVector;
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::debugtrap:
      // LLVM calls a function instead if the call names one.
      return intrinsic.hasFnAttr("trap-func-name") ? Refusal::kIntrinsic : of_operands;
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::vastart:
    case llvm::Intrinsic::vacopy:
    case llvm::Intrinsic::load_relative:
      return of_operands;
    case llvm::Intrinsic::eh_typeid_for:
      return of_operands;
    case llvm::Intrinsic::returnaddress:
      if (intrinsic.getFunction()->hasFnAttribute("sign-return-address")) {
        return Refusal::kIntrinsic;  // It may have to be freed of the signature.
      }
      [[fallthrough]];
    case llvm::Intrinsic::frameaddress:
      return llvm::cast<llvm::ConstantInt>(intrinsic.getArgOperand(0))->isZero()
                 ? Refusal::kNone
                 : Refusal::kIntrinsic;
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::sqrt:
      return IsScalarFloat(type) ? of_operands : Refusal::kIntrinsic;
    case llvm::Intrinsic::fmuladd:
      if (FusesMultiplications(*intrinsic.getFunction(), options)) return Refusal::kIntrinsic;
      return IsScalarFloat(type) ? of_operands : Refusal::kIntrinsic;
    default: {
      if (type->isVectorTy()) return Refusal::kVector;
      if (RoundingModeOf(intrinsic.getIntrinsicID()) >= 0 && options.has_rounding &&
          IsScalarFloat(type)) {
        return of_operands;
      }
      return MathFunctionOf(intrinsic) != nullptr ? of_operands : Refusal::kIntrinsic;
    }
  }
}

// Of the Scalable Matrix Extension: how a function is run, or leaves the processor.
bool HasMode(const llvm::AttributeSet& attributes) {
  return llvm::any_of(attributes, [](const Attribute& attribute) {
    return attribute.isStringAttribute() && attribute.getKindAsString().starts_with("aarch64_");
  });
}

// Whether a function or a call with these attributes saves other registers than its calling
// convention says.
bool ChangesSavedRegisters(const llvm::AttributeList& attributes) {
  return attributes.hasFnAttr("no_caller_saved_registers") ||
         attributes.hasFnAttr("no_callee_saved_registers");
}

Refusal RefusalOfCall(const llvm::CallBase& call, const Architecture& architecture,
                      const CoverageOptions& options) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (llvm::isa<llvm::InvokeInst>(call)) return Refusal::kException;
    if (llvm::isa<llvm::ConstrainedFPIntrinsic>(call)) return Refusal::kIntrinsic;
    if (call.hasOperandBundles() && !IsNoOperation(call)) return Refusal::kOperandBundle;
    return RefusalOfIntrinsic(*intrinsic, options);
  }
  if (call.isInlineAsm()) return Refusal::kInlineAssembly;
  if (call.isMustTailCall()) return Refusal::kMustTail;
  if (call.hasOperandBundles()) return Refusal::kOperandBundle;
  if (call.hasFnAttr(Attribute::ReturnsTwice)) return Refusal::kReturnsTwice;
  if (!IsCoveredConvention(call.getCallingConv(), call.getFunctionType()->isVarArg())) {
    return Refusal::kCallingConvention;
  }
  const CallingConvention& convention = architecture.ConventionOf(call.getCallingConv());
  if (!IsCoveredReturn(call.getType(), convention) && !call.getType()->isEmptyTy()) {
    return Refusal::kArgumentPassing;
  }
  const llvm::Function* callee = call.getCalledFunction();
  const llvm::DataLayout& layout = call.getModule()->getDataLayout();
  if (ExtendsWide(call) || !IsCovered(call.getAttributes(), convention, layout) ||
      (callee != nullptr && !IsCovered(callee->getAttributes(), convention, layout))) {
    return Refusal::kArgumentPassing;
  }
  if (ChangesSavedRegisters(call.getAttributes()) ||
      (callee != nullptr && ChangesSavedRegisters(callee->getAttributes()))) {
    return Refusal::kFunctionAttribute;
  }
  if (convention.has_streaming_mode &&
      (HasMode(call.getAttributes().getFnAttrs()) ||
       (callee != nullptr && HasMode(callee->getAttributes().getFnAttrs())))) {
    return Refusal::kFunctionAttribute;
  }
  const bool has_self = HasSomewhere(call, Attribute::SwiftSelf);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const llvm::Type* type = call.getArgOperand(i)->getType();
    const Refusal refusal = RefusalOfPassing(type, convention);
    if (refusal != Refusal::kNone) return refusal;
    if (has_self && call.paramHasAttr(i, Attribute::SwiftSelf) && !FillsRegister(type)) {
      return Refusal::kArgumentPassing;
    }
  }
  return RefusalOfOperands(call);
}

Refusal RefusalOfBinary(const llvm::Instruction& binary) {
  const llvm::Type* type = binary.getType();
  if (PartCount(type) == 0) return Refusal::kType;
  if (type->isVectorTy()) {
    switch (binary.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::And:
      case Instruction::Or:
      case Instruction::Xor:
      case Instruction::FAdd:
      case Instruction::FSub:
      case Instruction::FMul:
      case Instruction::FDiv:
      case Instruction::FNeg:
        break;
      case Instruction::Mul:
      case Instruction::Shl:
      case Instruction::LShr:
      case Instruction::AShr:
        if (IsMask(type)) return Refusal::kVector;
        break;
      default:
        return Refusal::kVector;
    }
  }
  if (type->isIntegerTy() && type->getIntegerBitWidth() > 64 && type->getIntegerBitWidth() != 128) {
    switch (binary.getOpcode()) {
      case Instruction::UDiv:
      case Instruction::SDiv:
      case Instruction::URem:
      case Instruction::SRem:
        return Refusal::kType;
      default:
        break;
    }
  }
  return RefusalOfOperands(binary);
}

Refusal RefusalOfCast(const llvm::CastInst& cast) {
  const llvm::Type* from = cast.getSrcTy();
  const llvm::Type* to = cast.getDestTy();
  if (PartCount(from) == 0 || PartCount(to) == 0) return Refusal::kType;
  if (cast.getOpcode() == Instruction::BitCast) {
    if (from->isAggregateType() || to->isAggregateType()) return Refusal::kType;
    if ((IsMask(from) || IsMask(to)) && !from->isIntegerTy() && !to->isIntegerTy() && from != to) {
      return Refusal::kType;
    }
    return RefusalOfOperands(cast);
  }
  if (from->isVectorTy() || to->isVectorTy()) {
    switch (cast.getOpcode()) {
      case Instruction::UIToFP:
        if (from->getScalarSizeInBits() == 64) return Refusal::kVector;
        break;
      case Instruction::FPToUI:
        if (to->getScalarSizeInBits() == 64) return Refusal::kVector;
        break;
      default:
        break;
    }
    if (IsMask(from) || IsMask(to)) {
      return cast.getOpcode() == Instruction::ZExt || cast.getOpcode() == Instruction::SExt ||
                     cast.getOpcode() == Instruction::Trunc
                 ? RefusalOfOperands(cast)
                 : Refusal::kVector;
    }
    return RefusalOfOperands(cast);
  }
  for (const llvm::Type* type : {from, to}) {
    if (type->isIntegerTy() && type->getIntegerBitWidth() > 64 &&
        type->getIntegerBitWidth() != 128 && (IsScalarFloat(from) || IsScalarFloat(to))) {
      return Refusal::kType;
    }
  }
  return RefusalOfOperands(cast);
}

// Whether values of the type can be loaded and stored.
bool HasPlacesInMemory(const llvm::Type* type) { return PartCount(type) != 0 && !HasMask(type); }

Refusal RefusalOfElementAddress(const llvm::GetElementPtrInst& element) {
  if (PartCount(element.getType()) == 0) return Refusal::kType;
  if (element.getSourceElementType()->isScalableTy()) return Refusal::kType;
  const bool is_vector = element.getType()->isVectorTy();
  const llvm::DataLayout& layout = element.getModule()->getDataLayout();
  for (const llvm::Use& use : element.operands()) {
    const llvm::Type* type = use->getType();
    if (!IsScalar(type) && !(is_vector && PartCount(type) != 0 && !IsMask(type))) {
      return Refusal::kType;
    }
  }
  if (is_vector) {
    for (auto it = llvm::gep_type_begin(element), end = llvm::gep_type_end(element); it != end;
         ++it) {
      if (it.isSequential() && !llvm::isInt<32>(static_cast<int64_t>(
                                   it.getSequentialElementStride(layout).getKnownMinValue()))) {
        return Refusal::kSize;
      }
    }
  }
  return RefusalOfOperands(element);
}

}  // namespace

uint64_t ByValueAlignment(const llvm::AttributeSet& attributes, const llvm::DataLayout& layout) {
  llvm::MaybeAlign alignment = attributes.getStackAlignment();
  if (!alignment) alignment = attributes.getAlignment();
  if (!alignment) alignment = layout.getABITypeAlign(attributes.getByValType());
  return std::max<uint64_t>(alignment->value(), 8);
}

bool IsNoOperation(const llvm::Instruction& instruction) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (intrinsic == nullptr) return false;
  switch (intrinsic->getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::invariant_end:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::dbg_declare:
    case llvm::Intrinsic::dbg_value:
    case llvm::Intrinsic::dbg_label:
    case llvm::Intrinsic::dbg_assign:
    case llvm::Intrinsic::var_annotation:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::pseudoprobe:
      return true;
    default:
      return false;
  }
}

bool MayPassByValue(const llvm::CallBase& call) { return HasSomewhere(call, Attribute::ByVal); }

Register OwnRegisterOf(const llvm::Argument& parameter, const Architecture& architecture) {
  if (parameter.hasSwiftErrorAttr()) return architecture.swift_error;
  if (parameter.hasSwiftSelfAttr()) return architecture.swift_self;
  if (!parameter.hasStructRetAttr()) return kNoRegister;
  return architecture.ConventionOf(parameter.getParent()->getCallingConv()).result_address;
}

OwnRegisters::OwnRegisters(const llvm::CallBase& call, const Architecture& architecture,
                           RegisterSet of_swift)
    : call_(call), architecture_(architecture) {
  if (of_swift != 0) {
    has_error_ = HasSomewhere(call, Attribute::SwiftError);
    has_self_ = HasSomewhere(call, Attribute::SwiftSelf);
  }
  result_address_ = architecture.ConventionOf(call.getCallingConv()).result_address;
  has_any_ = has_error_ || has_self_ || result_address_ != kNoRegister;
}

Register OwnRegisters::Find(unsigned index) const {
  if (has_error_ && call_.paramHasAttr(index, Attribute::SwiftError)) {
    return architecture_.swift_error;
  }
  if (has_self_ && call_.paramHasAttr(index, Attribute::SwiftSelf)) return architecture_.swift_self;
  // Only one of the first two arguments may be the address of the result.
  const bool is_result_address = result_address_ != kNoRegister && index < 2 &&
                                 call_.paramHasAttr(index, Attribute::StructRet);
  return is_result_address ? result_address_ : kNoRegister;
}

RegisterSet SwiftRegistersOf(const llvm::CallBase& call, const Architecture& architecture) {
  RegisterSet registers = 0;
  if (HasSomewhere(call, Attribute::SwiftSelf)) registers |= SetOf(architecture.swift_self);
  if (HasSomewhere(call, Attribute::SwiftError)) registers |= SetOf(architecture.swift_error);
  return registers;
}

bool MayCall(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case Instruction::Call: {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (intrinsic == nullptr) return true;
      if (IsNoOperation(*intrinsic)) return false;
      switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::memcpy:
        case llvm::Intrinsic::memcpy_inline:
        case llvm::Intrinsic::memmove:
        case llvm::Intrinsic::memset:
        case llvm::Intrinsic::memset_inline:
          return !IsMadeInLine(*intrinsic);
        case llvm::Intrinsic::threadlocal_address:
          return true;
        default:
          // Those that depend on the processor count as calls everywhere.
          return MathFunctionOf(*intrinsic) != nullptr;
      }
    }
    case Instruction::Invoke:
    case Instruction::Resume:
    case Instruction::LandingPad:
    case Instruction::FRem:
      return true;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return instruction.getType()->isIntegerTy() &&
             instruction.getType()->getIntegerBitWidth() > 64;
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return instruction.getType()->isIntegerTy() &&
             instruction.getType()->getIntegerBitWidth() > 64;
    case Instruction::SIToFP:
    case Instruction::UIToFP: {
      const llvm::Type* type = instruction.getOperand(0)->getType();
      return type->isIntegerTy() && type->getIntegerBitWidth() > 64;
    }
    default:
      return false;
  }
}

Refusal RefusalOf(const llvm::Function& function, const Architecture& architecture) {
  if (!IsCoveredConvention(function.getCallingConv(), function.isVarArg())) {
    return Refusal::kCallingConvention;
  }
  const CallingConvention& convention = architecture.ConventionOf(function.getCallingConv());
  for (Attribute::AttrKind kind :
       {Attribute::Naked, Attribute::StackProtect, Attribute::StackProtectReq,
        Attribute::StackProtectStrong, Attribute::SafeStack, Attribute::ShadowCallStack,
        Attribute::StrictFP, Attribute::SanitizeAddress, Attribute::SanitizeThread,
        Attribute::SanitizeMemory, Attribute::SanitizeMemTag, Attribute::PresplitCoroutine,
        Attribute::SpeculativeLoadHardening, Attribute::FnRetThunkExtern}) {
    if (function.hasFnAttribute(kind)) return Refusal::kFunctionAttribute;
  }
  for (const char* name :
       {"patchable-function", "patchable-function-entry", "patchable-function-prefix",
        "split-stack", "function-instrument", "xray-instruction-threshold", "stackrealign",
        "alignstack", "interrupt", "fentry-call"}) {
    if (function.hasFnAttribute(name)) return Refusal::kFunctionAttribute;
  }
  // It has an entry in a section that LLVM writes; so may single instructions.
  if (function.hasMetadata(llvm::LLVMContext::MD_pcsections)) return Refusal::kFunctionAttribute;
  if (ChangesSavedRegisters(function.getAttributes())) return Refusal::kFunctionAttribute;
  const llvm::StringRef zeroed = function.getFnAttribute("zero-call-used-regs").getValueAsString();
  if (!zeroed.empty() && zeroed != "skip") return Refusal::kFunctionAttribute;
  if (convention.has_streaming_mode && HasMode(function.getAttributes().getFnAttrs())) {
    return Refusal::kFunctionAttribute;
  }
  if (function.getFnAttribute("sign-return-address-key").getValueAsString() == "b_key") {
    return Refusal::kFunctionAttribute;
  }
  if (function.hasFnAttribute(Attribute::StackAlignment) || function.hasGC() ||
      function.hasPrefixData() || function.hasPrologueData() || function.hasSection()) {
    return Refusal::kFunctionAttribute;
  }
  if (function.getSubprogram() != nullptr) return Refusal::kDebugInformation;
  if (function.hasPersonalityFn() &&
      !llvm::isa<llvm::Function>(function.getPersonalityFn()->stripPointerCasts())) {
    return Refusal::kException;
  }
  if (!IsCoveredReturn(function.getReturnType(), convention)) return Refusal::kArgumentPassing;
  if (!IsCovered(function.getAttributes(), convention, function.getParent()->getDataLayout())) {
    return Refusal::kArgumentPassing;
  }
  if (IsExtendedWide(function.getReturnType(), function.getAttributes().getRetAttrs())) {
    return Refusal::kArgumentPassing;
  }
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    const llvm::Type* const type = function.getArg(i)->getType();
    if (IsExtendedWide(type, function.getAttributes().getParamAttrs(i))) {
      return Refusal::kArgumentPassing;
    }
    const Refusal refusal = RefusalOfPassing(type, convention);
    if (refusal != Refusal::kNone) return refusal;
    if (function.getArg(i)->hasSwiftSelfAttr() && !FillsRegister(type)) {
      return Refusal::kArgumentPassing;
    }
  }
  return Refusal::kNone;
}

Refusal RefusalOf(const llvm::Instruction& instruction, const Architecture& architecture,
                  const CoverageOptions& options) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_pcsections)) return Refusal::kInstruction;
  switch (instruction.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
    case Instruction::FNeg:
      return RefusalOfBinary(instruction);
    case Instruction::ICmp:
    case Instruction::FCmp: {
      const llvm::Type* type = instruction.getOperand(0)->getType();
      if (PartCount(type) == 0 || PartCount(instruction.getType()) == 0) return Refusal::kType;
      if (instruction.getOpcode() == Instruction::FCmp && PartCount(type) > 1) {
        return Refusal::kVector;
      }
      return RefusalOfOperands(instruction);
    }
    case Instruction::Select:
      if (PartCount(instruction.getOperand(0)->getType()) == 0) return Refusal::kType;
      if (PartCount(instruction.getType()) == 0) return Refusal::kType;
      return RefusalOfOperands(instruction);
    case Instruction::Freeze:
      if (PartCount(instruction.getType()) == 0) return Refusal::kType;
      return RefusalOfOperands(instruction);
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::BitCast:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      return RefusalOfCast(llvm::cast<llvm::CastInst>(instruction));
    case Instruction::GetElementPtr:
      return RefusalOfElementAddress(llvm::cast<llvm::GetElementPtrInst>(instruction));
    case Instruction::Load: {
      const auto& load = llvm::cast<llvm::LoadInst>(instruction);
      if (!HasPlacesInMemory(load.getType())) return Refusal::kType;
      if (load.isAtomic() && !IsWholeWidth(load.getType()) && !load.getType()->isPointerTy() &&
          !IsScalarFloat(load.getType())) {
        return Refusal::kAtomic;
      }
      if (load.isAtomic() &&
          load.getAlign() < load.getModule()->getDataLayout().getTypeStoreSize(load.getType())) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(instruction);
    }
    case Instruction::Store: {
      const auto& store = llvm::cast<llvm::StoreInst>(instruction);
      const llvm::Type* type = store.getValueOperand()->getType();
      if (!HasPlacesInMemory(type)) return Refusal::kType;
      if (store.isAtomic() &&
          ((!IsWholeWidth(type) && !type->isPointerTy() && !IsScalarFloat(type)) ||
           store.getAlign() < store.getModule()->getDataLayout().getTypeStoreSize(
                                  const_cast<llvm::Type*>(type)))) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(instruction);
    }
    case Instruction::Alloca: {
      const auto& alloca = llvm::cast<llvm::AllocaInst>(instruction);
      if (alloca.isStaticAlloca()) {
        const auto size = alloca.getAllocationSize(alloca.getModule()->getDataLayout());
        if (!size || size->isScalable() || size->getFixedValue() > (uint64_t{1} << 28)) {
          return Refusal::kSize;
        }
        if (alloca.getAlign() > 16) return Refusal::kInstruction;
      }
      if (!alloca.isStaticAlloca() && alloca.getFunction()->hasFnAttribute(kStackProbe)) {
        return Refusal::kFunctionAttribute;
      }
      if (alloca.isUsedWithInAlloca()) return Refusal::kInstruction;
      if (alloca.isSwiftError() && !alloca.isStaticAlloca()) return Refusal::kInstruction;
      if (PartCount(alloca.getType()) == 0) return Refusal::kType;
      return RefusalOfOperands(instruction);
    }
    case Instruction::AtomicRMW: {
      const auto& update = llvm::cast<llvm::AtomicRMWInst>(instruction);
      switch (update.getOperation()) {
        case llvm::AtomicRMWInst::Xchg:
        case llvm::AtomicRMWInst::Add:
        case llvm::AtomicRMWInst::Sub:
        case llvm::AtomicRMWInst::And:
        case llvm::AtomicRMWInst::Nand:
        case llvm::AtomicRMWInst::Or:
        case llvm::AtomicRMWInst::Xor:
        case llvm::AtomicRMWInst::Max:
        case llvm::AtomicRMWInst::Min:
        case llvm::AtomicRMWInst::UMax:
        case llvm::AtomicRMWInst::UMin:
          break;
        default:
          return Refusal::kAtomic;
      }
      const llvm::Type* type = update.getType();
      if (!IsWholeWidth(type) && !type->isPointerTy()) return Refusal::kAtomic;
      if (update.getAlign() <
          update.getModule()->getDataLayout().getTypeStoreSize(update.getType())) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(instruction);
    }
    case Instruction::AtomicCmpXchg: {
      const auto& exchange = llvm::cast<llvm::AtomicCmpXchgInst>(instruction);
      const llvm::Value* value = exchange.getNewValOperand();
      if (!IsWholeWidth(value->getType()) && !value->getType()->isPointerTy()) {
        return Refusal::kAtomic;
      }
      if (exchange.getAlign() <
          exchange.getModule()->getDataLayout().getTypeStoreSize(value->getType())) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(instruction);
    }
    case Instruction::ExtractValue:
      if (PartCount(instruction.getOperand(0)->getType()) == 0 ||
          PartCount(instruction.getType()) == 0) {
        return Refusal::kAggregate;
      }
      return RefusalOfOperands(instruction);
    case Instruction::InsertValue:
      if (PartCount(instruction.getType()) == 0 ||
          PartCount(instruction.getOperand(1)->getType()) == 0) {
        return Refusal::kAggregate;
      }
      return RefusalOfOperands(instruction);
    case Instruction::PHI:
      if (PartCount(instruction.getType()) == 0) return Refusal::kType;
      return RefusalOfOperands(instruction);
    case Instruction::Switch:
      if (!IsScalar(instruction.getOperand(0)->getType())) return Refusal::kType;
      return RefusalOfOperands(instruction);
    case Instruction::Br:
    case Instruction::Fence:
    case Instruction::Unreachable:
    case Instruction::Ret:
    case Instruction::Resume:
      return RefusalOfOperands(instruction);
    case Instruction::LandingPad:
      for (const llvm::Use& use : instruction.operands()) {
        const auto* clause = llvm::cast<llvm::Constant>(use->stripPointerCasts());
        if (!llvm::isa<llvm::GlobalValue>(clause) && !clause->isNullValue() &&
            !clause->getType()->isArrayTy()) {
          return Refusal::kException;
        }
      }
      return PartCount(instruction.getType()) == 2 ? Refusal::kNone : Refusal::kException;
    case Instruction::Call:
    case Instruction::Invoke:
      return RefusalOfCall(llvm::cast<llvm::CallBase>(instruction), architecture, options);
    case Instruction::IndirectBr:
      return RefusalOfOperands(instruction);
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::ShuffleVector:
      if (PartCount(instruction.getOperand(0)->getType()) == 0 ||
          PartCount(instruction.getType()) == 0) {
        return Refusal::kType;
      }
      return RefusalOfOperands(instruction);
    default:
      return Refusal::kInstruction;
  }
}

}  // namespace firstcall::baseline
