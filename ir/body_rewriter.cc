#include "ir/body_rewriter.h"

#include <utility>

namespace firstcall::ir {
namespace {

uint32_t SizeOf32(size_t size) { return static_cast<uint32_t>(size); }

}  // namespace

void BodyRewriter::Begin(Function& function) {
  function_ = &function;
  old_operands_ = function.operands.size();
  values_.clear();
  instructions_.clear();
  blocks_.clear();
  replaced_.clear();
  later_.clear();
  numbers_.resize(function.values.size());
  edges_to_.assign(function.blocks.size(), 0);
  for (uint32_t argument = 0; argument < function.argument_count(); ++argument) {
    numbers_[argument] = argument;
    values_.emplace_back().type = function.values[argument].type;
  }
}

void BodyRewriter::MoveEdges(uint32_t from, uint32_t to) { edges_to_[from] = to; }

uint32_t BodyRewriter::BeginBlock(bool has_address_taken) {
  Block& block = blocks_.emplace_back();
  block.first_instruction = SizeOf32(instructions_.size());
  block.has_address_taken = has_address_taken;
  return SizeOf32(blocks_.size() - 1);
}

void BodyRewriter::EndBlock() {
  blocks_.back().instruction_count =
      SizeOf32(instructions_.size()) - blocks_.back().first_instruction;
}

void BodyRewriter::Copy(const Instruction& instruction) {
  Instruction& copy = instructions_.emplace_back(instruction);
  copy.block = SizeOf32(blocks_.size() - 1);
  if (copy.opcode == Opcode::kPhi) {
    uint32_t* const from = function_->targets.data() + copy.first_target;
    for (uint32_t i = 0; i < copy.target_count; ++i) {
      if (edges_to_[from[i]] != 0) from[i] = edges_to_[from[i]];
    }
  }
  if (copy.value == kNone) return;
  const uint32_t number = SizeOf32(values_.size());
  numbers_[copy.value] = number;
  copy.value = number;
  Value& value = values_.emplace_back();
  value.type = copy.type;
  value.instruction = SizeOf32(instructions_.size() - 1);
}

void BodyRewriter::CopyAs(const Instruction& instruction, const Type* type) {
  Copy(instruction);
  instructions_.back().type = type;
  values_.back().type = type;
}

Instruction& BodyRewriter::Add(Opcode opcode, const Type* type) {
  Instruction& instruction = instructions_.emplace_back();
  instruction.opcode = opcode;
  instruction.type = type;
  instruction.block = SizeOf32(blocks_.size() - 1);
  instruction.first_operand = SizeOf32(function_->operands.size());
  instruction.first_target = SizeOf32(function_->targets.size());
  if (type->IsVoid()) return instruction;
  instruction.value = SizeOf32(values_.size());
  Value& value = values_.emplace_back();
  value.type = type;
  value.instruction = SizeOf32(instructions_.size() - 1);
  return instruction;
}

void BodyRewriter::CompleteCall(const Type* function_type, const AttributeList* attributes,
                                Operand callee) {
  Instruction& instruction = instructions_.back();
  instruction.call = SizeOf32(function_->calls.size());
  Call& call = function_->calls.emplace_back();
  call.function_type = function_type;
  call.attributes = attributes;
  call.argument_count = instruction.operand_count;
  AddOperand(callee);
}

Operand BodyRewriter::AddConstant(const Constant& constant) {
  const size_t number = function_->module().constants().size() + function_->constants.size();
  function_->constants.push_back(constant);
  return Operand::Constant(SizeOf32(number));
}

Operand BodyRewriter::AddInteger(const Type* type, uint64_t bits) {
  Constant constant;
  constant.kind = ConstantKind::kInteger;
  constant.type = type;
  constant.set_bits(bits);
  return AddConstant(constant);
}

void BodyRewriter::Finish() {
  for (size_t i = 0; i < old_operands_; ++i) {
    Operand& operand = function_->operands[i];
    if (operand.IsValue()) operand = NewValue(operand.number());
  }
  for (const Replaced& later : later_) {
    function_->operands[later.operand] = NewValue(later.value.number());
  }
  for (const Replaced& replaced : replaced_) {
    function_->operands[replaced.operand] = replaced.value;
  }
  std::swap(function_->values, values_);
  std::swap(function_->instructions, instructions_);
  std::swap(function_->blocks, blocks_);
  function_->CountUses();
}

}  // namespace firstcall::ir
