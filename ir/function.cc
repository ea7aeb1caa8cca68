#include "ir/function.h"

#include <cstdint>

namespace firstcall::ir {

void Function::Clear(const Module& module, uint32_t global) {
  module_ = &module;
  global_ = global;
  argument_count_ = 0;
  result_type_ = nullptr;
  values.clear();
  constants.clear();
  blocks.clear();
  instructions.clear();
  operands.clear();
  targets.clear();
  calls.clear();
  operand_lists.clear();
  word_lists.clear();
  assemblies.clear();
  data.clear();
  has_debug_information = false;
  has_unknown = false;
  poll_counter = kNone;
  polls_when_called = false;
}

void Function::AddArgument(const Type* type) {
  values.emplace_back().type = type;
  ++argument_count_;
}

void Function::CountUses() {
  Value* const used = values.data();
  for (const Block& block : blocks) {
    for (const Instruction& instruction : InstructionsOf(block)) {
      const uint32_t user = NumberOf(instruction);
      for (Operand operand : OperandsOf(instruction)) {
        if (!operand.IsValue()) continue;
        Value& value = used[operand.number()];
        ++value.uses;
        if (value.first_user == kNone) value.first_user = user;
        value.last_user = user;
      }
    }
  }
}

}  // namespace firstcall::ir
