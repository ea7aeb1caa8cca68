#include "backend/baseline/effects.h"

#include "backend/baseline/call_attributes.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Attribute;
using ir::IntrinsicId;
using ir::Opcode;

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

}  // namespace

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
      return IsQuad(function.TypeAt(instruction, 0));
    case Opcode::kFreeze:
      return emulates_thread_locals && ThreadLocalOf(function, instruction) != nullptr;
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
      return is_beyond_64_bits(instruction.type);
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return is_beyond_64_bits(instruction.type) || IsQuad(function.TypeAt(instruction, 0));
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return is_beyond_64_bits(function.TypeAt(instruction, 0)) || IsQuad(instruction.type);
    case Opcode::kFPExt:
      return IsSmallFloat(function.TypeAt(instruction, 0)) || IsQuad(instruction.type);
    case Opcode::kFPTrunc:
      return IsSmallFloat(instruction.type) || IsQuad(function.TypeAt(instruction, 0));
    default:
      return false;
  }
}

bool MayCallWrite(const ir::Function& function, const ir::Instruction& call) {
  return IntrinsicMayWrite(function.IntrinsicOf(call));
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

}  // namespace firstcall::baseline
