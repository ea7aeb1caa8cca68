#include "backend/baseline/instructions.h"

#include "backend/baseline/aggregates.h"
#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/calls.h"
#include "backend/baseline/comparisons.h"
#include "backend/baseline/control_flow.h"
#include "backend/baseline/effects.h"
#include "backend/baseline/empty_assembly.h"
#include "backend/baseline/exceptions.h"
#include "backend/baseline/floats.h"
#include "backend/baseline/inline_assembly.h"
#include "backend/baseline/integers.h"
#include "backend/baseline/intrinsics.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/quad_floats.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vectors.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

// Of a value that is no vector.
void LowerCast(FunctionCode& code, const ir::Instruction& cast) {
  if (IsLongDouble(cast.type) || IsLongDouble(TypeAt(code, cast, 0))) {
    return code.native.floats.LowerLongDouble(code, cast);
  }
  if (IsQuad(cast.type) || IsQuad(TypeAt(code, cast, 0))) return LowerQuad(code, cast);
  switch (cast.opcode) {
    case Opcode::kZExt:
      return LowerExtension(code, cast, false);
    case Opcode::kSExt:
      return LowerExtension(code, cast, true);
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
      return LowerFloatCast(code, cast);
    case Opcode::kSIToFP:
      return LowerIntegerToFloat(code, cast, true);
    case Opcode::kUIToFP:
      return LowerIntegerToFloat(code, cast, false);
    case Opcode::kFPToSI:
      return LowerFloatToInteger(code, cast, true);
    case Opcode::kFPToUI:
      return LowerFloatToInteger(code, cast, false);
    default:  // Of integers and pointers to integers and pointers.
      if (BitsOf(cast.type) > BitsOf(TypeAt(code, cast, 0))) {
        return LowerExtension(code, cast, false);
      }
      return LowerTruncation(code, cast);
  }
}

}  // namespace

void Lower(FunctionCode& code, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
      return LowerBinary(code, instruction);
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFRem:
      if (IsLongDouble(instruction.type))
        return code.native.floats.LowerLongDouble(code, instruction);
      if (IsQuad(instruction.type)) return LowerQuad(code, instruction);
      return LowerFloatBinary(code, instruction);
    case Opcode::kFNeg:
      if (IsLongDouble(instruction.type))
        return code.native.floats.LowerLongDouble(code, instruction);
      if (IsQuad(instruction.type)) return LowerQuadSign(code, instruction);
      return code.native.floats.LowerNegation(code, instruction);
    case Opcode::kFCmp:
      if (PartCount(TypeAt(code, instruction, 0)) > 1 && instruction.type->IsVector()) {
        return LowerLanes(code, instruction);
      }
      if (instruction.type->IsVector()) {
        return code.native.vectors.LowerVectorFloatCompare(code, instruction);
      }
      return LowerCompare(code, instruction);
    case Opcode::kICmp:
      return LowerCompare(code, instruction);
    case Opcode::kSelect:
      return LowerSelect(code, instruction);
    case Opcode::kFreeze:
      if (const ir::Global* variable = ThreadLocalOf(*code.function, instruction)) {
        return LowerThreadLocalAddress(code, instruction, *variable);
      }
      return LowerFreeze(code, instruction);
    case Opcode::kBitCast:
      return LowerBitCast(code, instruction);
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      if (instruction.type->IsVector()) return LowerLanes(code, instruction);
      return LowerCast(code, instruction);
    case Opcode::kGetElementPtr:
      if (instruction.type->IsVector()) return LowerLanes(code, instruction);
      return LowerElementAddress(code, instruction);
    case Opcode::kLoad:
      return LowerLoad(code, instruction);
    case Opcode::kStore:
      return LowerStore(code, instruction);
    case Opcode::kAlloca:
      return LowerAlloca(code, instruction);
    case Opcode::kAtomicRmw:
      return code.native.memory.LowerAtomicUpdate(code, instruction);
    case Opcode::kCmpXchg:
      return code.native.memory.LowerCompareExchange(code, instruction);
    case Opcode::kFence:
      return code.native.memory.LowerFence(instruction);
    case Opcode::kExtractValue:
      return LowerExtractValue(code, instruction);
    case Opcode::kInsertValue:
      return LowerInsertValue(code, instruction);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      return LowerLanes(code, instruction);
    case Opcode::kBr:
      return LowerBranch(code, instruction);
    case Opcode::kSwitch:
      return LowerSwitch(code, instruction);
    case Opcode::kIndirectBr:
      return LowerIndirectBranch(code, instruction);
    case Opcode::kRet:
      return LowerReturn(code, instruction);
    case Opcode::kCall:
      if (code.function->IntrinsicOf(instruction) != ir::IntrinsicId::kNone) {
        return LowerIntrinsic(code, instruction);
      }
      if (CallsEmptyAssembly(*code.function, instruction)) {
        return LowerEmptyAssembly(code, instruction);
      }
      if (CallsAssembly(*code.function, instruction)) {
        return LowerInlineAssembly(code, instruction);
      }
      LowerCall(code, instruction);
      return;
    case Opcode::kInvoke:
      return LowerInvoke(code, instruction);
    case Opcode::kLandingPad:
      return LowerLandingPad(code, instruction);
    case Opcode::kResume:
      return LowerResume(code, instruction);
    default:  // Unreachable; others are not covered.
      code.assembler.Trap();
  }
}

}  // namespace firstcall::baseline
