#include "backend/baseline/operand_coverage.h"

#include "backend/baseline/constants.h"
#include "ir/constant.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

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
  if (instruction.opcode == ir::Opcode::kShuffleVector) operands = operands.first(2);
  return RefusalOf(function, operands);
}

}  // namespace firstcall::baseline
