#include "backend/baseline/edges.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

// The place of `source` among the incoming blocks of `phi`. `guess` is tried first: the phis of a
// block usually list its predecessors in the same order. `source` must be one of the blocks.
size_t IncomingIndex(const ir::Function& function, const ir::Instruction& phi, uint32_t source,
                     size_t guess) {
  const absl::Span<const uint32_t> blocks = function.TargetsOf(phi);
  if (blocks[guess] == source) return guess;
  return static_cast<size_t>(std::find(blocks.begin(), blocks.end(), source) - blocks.begin());
}

}  // namespace

uint32_t AddressLabelOf(FunctionCode& code, uint32_t block) {
  if (!EdgeHasMoves(code, block)) return LabelOf(code, block);
  return code.labels.AddressLabelOf(block, LabelOf(code, block));
}

bool EdgeHasMoves(const FunctionCode& code, uint32_t target) {
  for (const ir::Instruction& phi : code.function->InstructionsOf(code.function->blocks[target])) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (code.function->values[phi.value].uses != 0) return true;
  }
  return false;
}

void CollectEdgeMoves(FunctionCode& code, uint32_t target) {
  const uint32_t source = code.facts.order.blocks()[code.locations.block()].block;
  size_t index = 0;
  for (const ir::Instruction& phi : code.function->InstructionsOf(code.function->blocks[target])) {
    if (phi.opcode != ir::Opcode::kPhi) break;
    if (code.function->values[phi.value].uses == 0) continue;
    index = IncomingIndex(*code.function, phi, source, index);
    const ir::Operand value = OperandAt(code, phi, static_cast<unsigned>(index));
    if (value == ir::Operand::Value(phi.value)) continue;
    if (const ir::Constant* constant = ConstantOf(code, value);
        constant && constant->IsUndefined()) {
      continue;
    }
    const uint32_t number = NumberOf(code, phi);
    const unsigned parts = code.facts.values[number].parts;
    for (unsigned i = 0; i < parts; ++i) {
      ValuePart& place = code.facts.values[number + i];
      Move move = SourceOf(code, value, i, {place.is_vector, place.bytes, 0, false});
      if (place.is_fixed) {
        move.to = place.reg;
      } else {
        GiveSlot(code.frame, place);
        move.to_memory = SlotOf(code.frame, place);
      }
      code.moves.Add(move);
    }
  }
}

void EmitJump(FunctionCode& code, uint32_t target) {
  if (!IsNext(code, target)) code.assembler.Jmp(LabelOf(code, target));
}

void EmitEdge(FunctionCode& code, uint32_t target) {
  CollectEdgeMoves(code, target);
  EmitMoves(code);
  EmitJump(code, target);
}

bool KeepsRegisters(const FunctionCode& code, const ir::Instruction& terminator) {
  if (terminator.opcode != ir::Opcode::kBr) return false;
  const std::vector<OrderedBlock>& blocks = code.facts.order.blocks();
  const uint32_t next = code.locations.block() + 1;
  if (next == blocks.size() || blocks[next].predecessors != 1) return false;
  const absl::Span<const uint32_t> targets = code.function->TargetsOf(terminator);
  return std::find(targets.begin(), targets.end(), blocks[next].block) != targets.end();
}

void CountDownEdges(FunctionCode& code, const ir::Instruction& terminator) {
  for (uint32_t target : code.function->TargetsOf(terminator)) {
    size_t index = 0;
    for (const ir::Instruction& phi :
         code.function->InstructionsOf(code.function->blocks[target])) {
      if (phi.opcode != ir::Opcode::kPhi) break;
      index = IncomingIndex(*code.function, phi, terminator.block, index);
      CountDown(code, OperandAt(code, phi, static_cast<unsigned>(index)));
    }
  }
}

}  // namespace firstcall::baseline
