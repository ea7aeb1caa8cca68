#include "direct/osr/instruction_writer.h"

#include "ir/instruction.h"

namespace firstcall::direct {
namespace {

using ir::Opcode;

uint8_t LogOf(uint32_t alignment) {
  uint8_t log = 0;
  while (alignment >> log > 1) ++log;
  return log;
}

}  // namespace

void InstructionWriter::Begin(const ir::Function& function) {
  has_shared_blocks_ = function.has_shared_blocks();
  zero_ = rewriter_.AddInteger(types_.word(), 0);
  one_ = rewriter_.AddInteger(types_.word(), 1);
}

void InstructionWriter::BeginBlock() {
  // If other functions use addresses of blocks, all blocks count as used.
  rewriter_.BeginBlock(has_shared_blocks_);
}

void InstructionWriter::Jump(uint32_t target) {
  rewriter_.Add(Opcode::kBr, types_.nothing());
  rewriter_.AddTarget(target);
}

void InstructionWriter::Branch(ir::Operand condition, uint32_t if_true, uint32_t if_false) {
  rewriter_.Add(Opcode::kBr, types_.nothing());
  rewriter_.AddOperand(condition);
  rewriter_.AddTarget(if_true);
  rewriter_.AddTarget(if_false);
}

ir::Operand InstructionWriter::Compare(ir::Predicate predicate, ir::Operand left,
                                       ir::Operand right) {
  rewriter_.Add(Opcode::kICmp, types_.bit()).code = static_cast<uint8_t>(predicate);
  rewriter_.AddOperand(left);
  rewriter_.AddOperand(right);
  return rewriter_.Result();
}

ir::Operand InstructionWriter::Load(const ir::Type* type, ir::Operand place) {
  rewriter_.Add(Opcode::kLoad, type).alignment_log = LogOf(type->alignment);
  rewriter_.AddOperand(place);
  return rewriter_.Result();
}

void InstructionWriter::Store(ir::Operand place, ir::Operand value, const ir::Type* type) {
  rewriter_.Add(Opcode::kStore, types_.nothing()).alignment_log = LogOf(type->alignment);
  rewriter_.AddOperand(place);
  rewriter_.AddOperand(value);
}

ir::Operand InstructionWriter::Variable(const ir::Type* type, uint32_t alignment) {
  ir::Instruction& variable = rewriter_.Add(Opcode::kAlloca, types_.pointer());
  variable.source_type = type;
  variable.alignment_log = LogOf(alignment);
  rewriter_.AddOperand(one_);
  return rewriter_.Result();
}

ir::Operand InstructionWriter::Binary(Opcode opcode, ir::Operand left, ir::Operand right) {
  rewriter_.Add(opcode, types_.word());
  rewriter_.AddOperand(left);
  rewriter_.AddOperand(right);
  return rewriter_.Result();
}

ir::Operand InstructionWriter::AddressAt(ir::Operand base, uint64_t offset) {
  ir::Instruction& place = rewriter_.Add(Opcode::kGetElementPtr, types_.pointer());
  place.source_type = types_.byte();
  place.is_inbounds = true;
  rewriter_.AddOperand(base);
  rewriter_.AddOperand(offset == 0 ? zero_ : rewriter_.AddInteger(types_.word(), offset));
  return rewriter_.Result();
}

}  // namespace firstcall::direct
