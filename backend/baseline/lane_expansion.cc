#include "backend/baseline/lane_expansion.h"

#include "absl/container/inlined_vector.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

// Whether the intrinsic computes each lane of its result from one lane of each vector that it has
// as an argument.
bool IsLaneByLane(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kCeil:
    case IntrinsicId::kCos:
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCtpop:
    case IntrinsicId::kCttz:
    case IntrinsicId::kExp:
    case IntrinsicId::kExp2:
    case IntrinsicId::kFloor:
    case IntrinsicId::kFma:
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
    case IntrinsicId::kLog:
    case IntrinsicId::kLog10:
    case IntrinsicId::kLog2:
    case IntrinsicId::kMaxnum:
    case IntrinsicId::kMinnum:
    case IntrinsicId::kNearbyint:
    case IntrinsicId::kPow:
    case IntrinsicId::kRint:
    case IntrinsicId::kRound:
    case IntrinsicId::kRoundeven:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSin:
    case IntrinsicId::kSsubSat:
    case IntrinsicId::kTan:
    case IntrinsicId::kTrunc:
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUsubSat:
      return true;
    default:
      return false;
  }
}

bool IsSupportedVector(const ir::Type* type) {
  return type->IsFixedVector() && PartCount(type) != 0 && !type->element()->IsInteger(1);
}

bool IsLaneByLane(const ir::Function& function, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kFRem:
    case Opcode::kUIToFP:
    case Opcode::kFPToUI:
      break;
    case Opcode::kCall:
      if (!IsLaneByLane(function.IntrinsicOf(instruction))) return false;
      if (function.CallOf(instruction).has_bundles) return false;
      break;
    default:
      return false;
  }
  return IsSupportedVector(instruction.type) &&
         IsSupportedVector(function.TypeOf(function.OperandOf(instruction, 0)));
}

bool IsExpanded(const ir::Function& function, const ir::Instruction& instruction,
                const Architecture& architecture, const CoverageOptions& options) {
  if (!IsLaneByLane(function, instruction)) return false;
  const Refusal refusal = RefusalOf(function, instruction, architecture, options);
  return refusal == Refusal::kVector || refusal == Refusal::kIntrinsic;
}

}  // namespace

LaneExpansion::LaneExpansion() {
  word32_.kind = ir::TypeKind::kInteger;
  word32_.is_sized = true;
  word32_.alignment = 4;
  word32_.store_size = word32_.alloc_size = 4;
  word32_.bit_size = word32_.number = 32;
}

ir::Operand LaneExpansion::LaneOf(ir::Operand operand, ir::Operand index, bool& is_old) {
  const ir::Type* const type = function_->TypeOf(operand);
  is_old = !type->IsVector();
  if (is_old) return operand;
  rewriter_.Add(Opcode::kExtractElement, type->element());
  rewriter_.AddOldOperand(operand);
  rewriter_.AddOperand(index);
  return rewriter_.Result();
}

ir::Operand LaneExpansion::Write(const ir::Instruction& instruction) {
  struct Source {
    ir::Operand operand;
    bool is_old = false;
  };
  const ir::Type* const type = instruction.type;
  const bool is_call = instruction.opcode == Opcode::kCall;
  const ir::Call call = is_call ? function_->CallOf(instruction) : ir::Call();
  const uint32_t count = is_call ? call.argument_count : instruction.operand_count;
  ir::Constant nothing;
  nothing.kind = ir::ConstantKind::kPoison;
  nothing.type = type;
  ir::Operand result = rewriter_.AddConstant(nothing);
  for (uint64_t lane = 0; lane < type->count; ++lane) {
    const ir::Operand index = rewriter_.AddInteger(&word32_, lane);
    absl::InlinedVector<Source, 3> sources(count);
    for (uint32_t i = 0; i < count; ++i) {
      sources[i].operand = LaneOf(function_->OperandOf(instruction, i), index, sources[i].is_old);
    }
    rewriter_.Add(instruction.opcode, type->element());
    for (const Source& source : sources) {
      if (source.is_old) {
        rewriter_.AddOldOperand(source.operand);
      } else {
        rewriter_.AddOperand(source.operand);
      }
    }
    // By its number the intrinsic is that of scalars.
    if (is_call) {
      rewriter_.CompleteCall(call.function_type, call.attributes, function_->CalleeOf(instruction));
    }
    const ir::Operand value = rewriter_.Result();
    rewriter_.Add(Opcode::kInsertElement, type);
    for (ir::Operand operand : {result, value, index}) rewriter_.AddOperand(operand);
    result = rewriter_.Result();
  }
  return result;
}

bool LaneExpansion::Expand(ir::Function& function, const Architecture& architecture,
                           const CoverageOptions& options) {
  function_ = &function;
  const auto is_expanded = [&](const ir::Instruction& instruction) {
    return IsExpanded(function, instruction, architecture, options);
  };
  bool has_any = false;
  for (const ir::Instruction& instruction : function.instructions) {
    has_any = has_any || is_expanded(instruction);
  }
  if (!has_any) return false;
  rewriter_.Begin(function);
  for (const ir::Block& block : function.blocks) {
    rewriter_.BeginBlock(block.has_address_taken);
    for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
      if (is_expanded(instruction)) {
        rewriter_.SetNewValue(instruction.value, Write(instruction));
      } else {
        rewriter_.Copy(instruction);
      }
    }
    rewriter_.EndBlock();
  }
  rewriter_.Finish();
  return true;
}

}  // namespace firstcall::baseline
