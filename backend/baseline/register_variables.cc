#include "backend/baseline/register_variables.h"

#include <algorithm>

#include "backend/baseline/integers.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

bool IsRegisterVariable(const ValuePart& value) { return value.is_alloca && value.is_fixed; }

}  // namespace

Register VariableAt(const FunctionCode& code, ir::Operand pointer) {
  const uint32_t number = NumberOf(code, pointer);
  if (number == kNone) return kNoRegister;
  const ValuePart& value = code.facts.values[number];
  return IsRegisterVariable(value) ? value.reg : kNoRegister;
}

Register VariableReadBy(const FunctionCode& code, ir::Operand value) {
  const ir::Instruction* deferred = DeferredOf(code, value);
  if (deferred == nullptr || deferred->opcode != ir::Opcode::kLoad) return kNoRegister;
  return VariableAt(code, OperandAt(code, *deferred, 0));
}

void LoadVariable(FunctionCode& code, const ir::Instruction& load, Register variable) {
  code.assembler.MoveWhole(Define(code, load), variable);
}

void StoreVariable(FunctionCode& code, Register variable, ir::Operand value) {
  if (const ir::Constant* constant = ConstantOf(code, value)) {
    return Materialize(code, variable, *constant, 0);
  }
  code.assembler.MoveWhole(variable, In(code, value));
}

void UpdateVariable(FunctionCode& code, Register variable, const MemoryUpdate& update) {
  // Operations on fewer than four bytes would wait for the others.
  const unsigned bytes = std::max(4u, BytesOf(code, ir::Operand::Value(update.load->value)));
  EmitAlu(code, AluOf(*update.operation), bytes, variable, OperandOf(code, update.operand, bytes));
}

void StoreVariablesToFrame(FunctionCode& code) {
  for (const ir::Instruction& instruction :
       code.function->InstructionsOf(code.function->blocks[0])) {
    if (instruction.opcode != ir::Opcode::kAlloca) continue;
    const ValuePart& value = code.facts.values[NumberOf(code, instruction)];
    if (!IsRegisterVariable(value)) continue;
    const Mem place = SlotOf(code.frame, value);
    if (value.is_vector) {
      code.assembler.VectorStore(value.bytes, place, value.reg);
    } else {
      code.assembler.Store(value.bytes, place, value.reg);
    }
  }
}

}  // namespace firstcall::baseline
