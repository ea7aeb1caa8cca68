#include "backend/baseline/constant_expansion.h"

#include <algorithm>

#include "absl/types/span.h"
#include "backend/baseline/constants.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::ConstantKind;
using ir::Opcode;

// Of the instructions for one operand, and for all operands of a function.
constexpr uint32_t kMost = 256;
constexpr uint64_t kMostInFunction = 1 << 16;
constexpr unsigned kMostNested = 64;

bool IsComputed(Opcode opcode) {
  switch (opcode) {
    case Opcode::kTrunc:
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kBitCast:
    case Opcode::kGetElementPtr:
      return true;
    default:
      return ir::IsBinary(opcode);
  }
}

bool IsScalar(const ir::Type& type) {
  return type.IsIntegerOrPointer() || type.IsFloat() || type.IsDouble();
}

}  // namespace

uint32_t ConstantExpansion::CountOf(const ir::Constant& constant, unsigned depth) const {
  constexpr uint32_t kTooMany = kMost + 1;
  if (IsSupported(constant, *function_)) return 0;
  if (constant.kind != ConstantKind::kExpression || !IsComputed(constant.opcode) ||
      !IsScalar(*constant.type) || depth == kMostNested) {
    return kTooMany;
  }
  uint32_t count = 1;
  for (ir::Operand operand : constant.operands()) {
    count += CountOf(function_->constant(operand), depth + 1);
    if (count > kMost) return kTooMany;
  }
  return count;
}

// The numbers of clauses and cases, and masks, are no values.
bool ConstantExpansion::AddUse(const ir::Instruction& instruction, uint32_t index) {
  const uint32_t number = instruction.first_operand + index;
  const ir::Constant* const constant = function_->ConstantOf(function_->operands[number]);
  if (constant == nullptr || constant->kind != ConstantKind::kExpression) return true;
  const uint32_t count = CountOf(*constant, 0);
  if (count == 0) return true;
  instructions_ += count;
  if (count > kMost || instructions_ > kMostInFunction) return false;
  uint32_t before = function_->NumberOf(instruction);
  if (instruction.opcode == Opcode::kPhi) {
    const ir::Block& incoming = function_->blocks[function_->TargetsOf(instruction)[index]];
    before = incoming.first_instruction + incoming.instruction_count - 1;
  }
  uses_.push_back({before, number});
  return true;
}

bool ConstantExpansion::FindUses() {
  uses_.clear();
  instructions_ = 0;
  for (const ir::Instruction& instruction : function_->instructions) {
    if (instruction.opcode == Opcode::kLandingPad) continue;
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      if (!AddUse(instruction, i)) return false;
    }
  }
  std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) {
    return a.before != b.before ? a.before < b.before : a.operand < b.operand;
  });
  return !uses_.empty();
}

// Its operands come first.
ir::Operand ConstantExpansion::Write(ir::Operand operand) {
  const ir::Constant constant = function_->constant(operand);
  if (IsSupported(constant, *function_)) return operand;
  std::vector<ir::Operand> operands;
  for (ir::Operand part : constant.operands()) operands.push_back(Write(part));
  ir::Instruction& instruction = rewriter_.Add(constant.opcode, constant.type);
  if (constant.opcode == Opcode::kGetElementPtr) instruction.source_type = constant.source_type();
  for (ir::Operand part : operands) rewriter_.AddOperand(part);
  return rewriter_.Result();
}

bool ConstantExpansion::Expand(ir::Function& function) {
  function_ = &function;
  if (!FindUses()) return false;
  rewriter_.Begin(function);
  auto use = uses_.begin();
  for (const ir::Block& block : function.blocks) {
    rewriter_.BeginBlock(block.has_address_taken);
    for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
      const uint32_t number = function.NumberOf(instruction);
      for (; use != uses_.end() && use->before == number; ++use) {
        rewriter_.Replace(use->operand, Write(function.operands[use->operand]));
      }
      rewriter_.Copy(instruction);
    }
    rewriter_.EndBlock();
  }
  rewriter_.Finish();
  return true;
}

}  // namespace firstcall::baseline
