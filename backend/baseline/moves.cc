#include "backend/baseline/moves.h"

#include <algorithm>
#include <cstdint>

#include "backend/baseline/operands.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {

Move SourceOf(const FunctionCode& code, ir::Operand value, unsigned part, const PartType& type) {
  Move move;
  move.is_vector = type.is_vector;
  move.bytes = type.is_vector ? type.bytes : std::max<uint8_t>(type.bytes, 4);
  if (const ir::Constant* constant = ConstantOf(code, value)) {
    move.source = Move::Source::kConstant;
    move.constant = constant;
    move.constant_part = part;
    return move;
  }
  const uint32_t number = NumberOf(code, value) + part;
  const ValuePart& place = code.facts.values[number];
  move.from_memory = SlotOf(code.frame, place);
  if (place.is_alloca) {
    move.source = Move::Source::kFrameAddress;
  } else if (place.reg != kNoRegister) {
    move.from = place.reg;
  } else {
    move.source = Move::Source::kMemory;
  }
  return move;
}

void EmitMoves(FunctionCode& code) {
  if (code.moves.empty()) return;
  code.moves.Emit(code.assembler,
                  [&code](Register reg, const ir::Constant& constant, unsigned part) {
                    Materialize(code, reg, constant, part);
                  });
}

}  // namespace firstcall::baseline
