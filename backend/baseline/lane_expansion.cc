#include "backend/baseline/lane_expansion.h"

#include "absl/container/inlined_vector.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/value_parts.h"
#include "ir/constrained.h"
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
    case IntrinsicId::kAcos:
    case IntrinsicId::kAsin:
    case IntrinsicId::kAtan:
    case IntrinsicId::kBitreverse:
    case IntrinsicId::kCeil:
    case IntrinsicId::kCos:
    case IntrinsicId::kCosh:
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCtpop:
    case IntrinsicId::kCttz:
    case IntrinsicId::kExp:
    case IntrinsicId::kExp2:
    case IntrinsicId::kFloor:
    case IntrinsicId::kFma:
    case IntrinsicId::kFptosiSat:
    case IntrinsicId::kFptouiSat:
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
    case IntrinsicId::kIsFpclass:
    case IntrinsicId::kLdexp:
    case IntrinsicId::kLlrint:
    case IntrinsicId::kLlround:
    case IntrinsicId::kLog:
    case IntrinsicId::kLog10:
    case IntrinsicId::kLog2:
    case IntrinsicId::kLrint:
    case IntrinsicId::kLround:
    case IntrinsicId::kMaximum:
    case IntrinsicId::kMaxnum:
    case IntrinsicId::kMinimum:
    case IntrinsicId::kMinnum:
    case IntrinsicId::kNearbyint:
    case IntrinsicId::kPow:
    case IntrinsicId::kRint:
    case IntrinsicId::kRound:
    case IntrinsicId::kRoundeven:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSin:
    case IntrinsicId::kSinh:
    case IntrinsicId::kSsubSat:
    case IntrinsicId::kTan:
    case IntrinsicId::kTanh:
    case IntrinsicId::kTrunc:
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUsubSat:
      return true;
    default:
      return false;
  }
}

bool IsSupportedVector(const ir::Type* type) {
  return type->IsFixedVector() && PartCount(type) != 0;
}

bool IsLaneByLane(const ir::Function& function, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kFRem:
    case Opcode::kUIToFP:
    case Opcode::kSIToFP:
    case Opcode::kFPToUI:
    case Opcode::kFPToSI:
    // Of vectors of i1.
    case Opcode::kMul:
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kURem:
    case Opcode::kSRem:
    case Opcode::kShl:
    case Opcode::kLShr:
    case Opcode::kAShr:
      break;
    case Opcode::kCall:
      if (const IntrinsicId intrinsic = function.IntrinsicOf(instruction);
          !IsLaneByLane(intrinsic) && ir::ConstrainedOperationOf(intrinsic) == nullptr) {
        return false;
      }
      if (function.CallOf(instruction).has_bundles) return false;
      break;
    default:
      return false;
  }
  return IsSupportedVector(instruction.type) && IsSupportedVector(function.TypeAt(instruction, 0));
}

bool IsExpanded(const ir::Function& function, const ir::Instruction& instruction,
                const Architecture& architecture, const CoverageOptions& options) {
  if (!IsLaneByLane(function, instruction)) return false;
  const Refusal refusal = RefusalOf(function, instruction, architecture, options);
  return refusal == Refusal::kVector || refusal == Refusal::kIntrinsic;
}

}  // namespace

ExpansionWriter::Source LaneExpansion::Write(const ir::Instruction& instruction) {
  using Source = ExpansionWriter::Source;
  const ir::Function& function = writer_.function();
  const ir::Type* const type = instruction.type;
  const bool is_call = instruction.opcode == Opcode::kCall;
  const uint32_t count =
      is_call ? function.CallOf(instruction).argument_count : instruction.operand_count;
  Source result = writer_.Undefined(type);
  for (uint64_t lane = 0; lane < type->count; ++lane) {
    absl::InlinedVector<Source, 3> sources(count);
    for (uint32_t i = 0; i < count; ++i) {
      sources[i] = writer_.Old(instruction, i);
      if (writer_.TypeOf(sources[i])->IsVector()) {
        sources[i] = writer_.ExtractLane(sources[i], lane);
      }
    }
    // By its number the intrinsic is that of scalars.
    const Source value =
        is_call ? writer_.Call(instruction, type->element(), sources)
                : writer_.Add(instruction.opcode, type->element(), sources, instruction.code);
    result = writer_.InsertLane(result, value, lane);
  }
  return result;
}

bool LaneExpansion::Expand(ir::Function& function, const Architecture& architecture,
                           const CoverageOptions& options) {
  return writer_.Expand(
      function,
      [&](const ir::Instruction& instruction) {
        return IsExpanded(function, instruction, architecture, options);
      },
      [this](const ir::Instruction& instruction) { return Write(instruction); });
}

}  // namespace firstcall::baseline
