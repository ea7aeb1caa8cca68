#include "backend/baseline/coverage.h"

#include <cstdint>

#include "backend/baseline/call_coverage.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/operand_coverage.h"
#include "backend/baseline/stack_probe.h"
#include "backend/baseline/stack_protection.h"
#include "backend/baseline/static_alloca.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

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
  const ir::Type* from = function.TypeAt(cast, 0);
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

}  // namespace

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
      const ir::Type* type = function.TypeAt(instruction, 0);
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
      if (PartCount(function.TypeAt(instruction, 0)) == 0) return Refusal::kType;
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
      return RefusalOfAccess(function, instruction, function.TypeAt(instruction, 1), options);
    case Opcode::kAlloca:
      return RefusalOfAlloca(function, instruction);
    case Opcode::kAtomicRmw:
      return RefusalOfAtomicUpdate(function, instruction, options);
    case Opcode::kCmpXchg:
      if (!IsExchanged(function.TypeAt(instruction, 2), instruction, options)) {
        return Refusal::kAtomic;
      }
      return RefusalOfOperands(function, instruction);
    case Opcode::kExtractValue:
      return RefusalOfTypes(function, instruction, function.TypeAt(instruction, 0),
                            Refusal::kAggregate);
    case Opcode::kInsertValue:
      return RefusalOfTypes(function, instruction, function.TypeAt(instruction, 1),
                            Refusal::kAggregate);
    case Opcode::kSwitch:
      if (!IsScalar(function.TypeAt(instruction, 0))) return Refusal::kType;
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
      return RefusalOfTypes(function, instruction, function.TypeAt(instruction, 0), Refusal::kType);
    default:
      return Refusal::kInstruction;
  }
}

}  // namespace firstcall::baseline
