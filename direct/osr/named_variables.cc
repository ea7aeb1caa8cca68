#include "direct/osr/named_variables.h"

#include <algorithm>

#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {

using ir::Opcode;

void NamedVariables::BeginSearch(size_t value_count, size_t variable_count) {
  if (++search_number_ == 0) {
    std::fill(seen_at_.begin(), seen_at_.end(), 0);
    std::fill(named_at_.begin(), named_at_.end(), 0);
    search_number_ = 1;
  }
  if (seen_at_.size() < value_count) seen_at_.resize(value_count);
  if (named_at_.size() < variable_count) named_at_.resize(variable_count);
}

void NamedVariables::Find(const ir::Function& function, const VariableLiveness& variables,
                          absl::Span<const uint32_t> values) {
  BeginSearch(function.values.size(), variables.variables().size());
  if (variables.variables().empty()) return;
  for (uint32_t value : values) Visit(function, variables, value);
  while (!pending_.empty()) {
    const uint32_t value = pending_.back();
    pending_.pop_back();
    const ir::Instruction& definition = function.instructions[function.values[value].instruction];
    for (ir::Operand operand : function.OperandsOf(definition)) {
      if (operand.IsValue()) Visit(function, variables, operand.number());
    }
  }
}

void NamedVariables::Visit(const ir::Function& function, const VariableLiveness& variables,
                           uint32_t value) {
  const uint32_t number = function.values[value].instruction;
  if (number == ir::kNone || seen_at_[value] == search_number_) return;
  seen_at_[value] = search_number_;
  const Opcode opcode = function.instructions[number].opcode;
  if (opcode == Opcode::kAlloca) {
    const uint32_t variable = variables.IndexOf(value);
    if (variable != ir::kNone) named_at_[variable] = search_number_;
  }
  if (opcode == Opcode::kLoad || opcode == Opcode::kICmp || opcode == Opcode::kFCmp) return;
  pending_.push_back(value);
}

}  // namespace firstcall::direct
