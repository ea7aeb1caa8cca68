// Phis. The phis of a block mostly list its predecessors in the same order, so that this list is
// only compared with the one of the phi before.

#include <cstddef>

#include "ir/check.h"
#include "ir/type_rules.h"

namespace firstcall::ir {

Fault Checker::CheckPhis(uint32_t block, uint32_t begin, uint32_t end) {
  current_ = begin;
  if (block == 0) return Fault::Invalid("a phi in the entry block");
  if (edges_.counts.size() < function_->blocks.size()) {
    edges_.counts.resize(function_->blocks.size(), 0);
    edges_.incoming.resize(function_->blocks.size());
  }
  const absl::Span<const uint32_t> predecessors = flow_.PredecessorsOf(block);
  edges_.has_double = false;
  for (uint32_t source : predecessors) edges_.has_double |= edges_.counts[source]++ != 0;
  Fault fault;
  absl::Span<const uint32_t> blocks_before;
  for (uint32_t i = begin; i < end && !fault; ++i) {
    const Instruction& phi = function_->instructions[i];
    current_ = i;
    if (phi.operand_count != predecessors.size() || phi.target_count != predecessors.size()) {
      fault = Fault::Invalid("the phi has not one value for each edge to the block");
    } else {
      fault = CheckPhi(phi, blocks_before);
      blocks_before = function_->TargetsOf(phi);
    }
  }
  for (uint32_t source : predecessors) edges_.counts[source] = 0;
  return fault;
}

Fault Checker::CheckPhi(const Instruction& phi, absl::Span<const uint32_t> blocks_before) {
  if (!HasPlainValues(*phi.type)) return Fault::Invalid("no phi has such a type");
  // Where a block has several edges, the values must be compared, too.
  const bool is_known = !edges_.has_double && function_->TargetsOf(phi) == blocks_before;
  if (!is_known) {
    if (Fault fault = CheckIncomingBlocks(phi)) return fault;
  }
  return CheckIncomingValues(phi);
}

// The phi has as many values as there are edges, so none is missing if none is one too many.
Fault Checker::CheckIncomingBlocks(const Instruction& phi) {
  ++edges_.phi_count;
  const absl::Span<const Operand> values = OperandsOf(phi);
  const absl::Span<const uint32_t> sources = function_->TargetsOf(phi);
  for (size_t i = 0; i < sources.size(); ++i) {
    Incoming& incoming = edges_.incoming[sources[i]];
    if (incoming.phi != edges_.phi_count) {
      incoming = {edges_.phi_count, edges_.counts[sources[i]], values[i]};
    } else if (incoming.value != values[i]) {
      // A reader may list a constant twice.
      return values[i].IsConstant() && incoming.value.IsConstant()
                 ? Fault::Unknown("constants that may differ, for edges from one block")
                 : Fault::Invalid("different values for edges from one block");
    }
    if (incoming.edges-- == 0) {
      return Fault::Invalid("the phi has not one value for each edge to the block");
    }
  }
  return {};
}

Fault Checker::CheckIncomingValues(const Instruction& phi) {
  const absl::Span<const Operand> values = OperandsOf(phi);
  const absl::Span<const uint32_t> sources = function_->TargetsOf(phi);
  for (size_t i = 0; i < values.size(); ++i) {
    const Operand value = values[i];
    if (scope_->TypeOf(value) != phi.type) {
      return Fault::Invalid("a value has another type than the phi");
    }
    if (!value.IsValue() || value.number() < entry_value_count_) continue;
    const uint32_t definition = function_->values[value.number()].instruction;
    const Block& source = function_->blocks[sources[i]];
    // In the block, but before its terminator.
    if (definition - source.first_instruction < source.instruction_count - 1) continue;
    if (!IsAvailableOnEdge(definition, sources[i], phi.block)) return NotDefined();
  }
  return {};
}

// The result of an invoke is there on the edge to its normal target only.
bool Checker::IsAvailableOnEdge(uint32_t definition, uint32_t source, uint32_t target) {
  const Instruction& instruction = function_->instructions[definition];
  if (instruction.block != source) return IsAvailable(definition, source);
  if (instruction.opcode != Opcode::kInvoke || instruction.target_count == 0) return true;
  return function_->TargetsOf(instruction)[0] == target || !flow_.IsReachable(source);
}

}  // namespace firstcall::ir
