#include "backend/baseline/constant_expansion.h"

#include <algorithm>

#include "absl/types/span.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/effects.h"
#include "ir/intrinsic.h"
#include "ir/module.h"
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

// The thread-local variable that `constant` is the address of; null if there is none.
const ir::Global* ThreadLocalOf(const ir::Constant& constant, const ir::Module& module) {
  if (constant.kind != ConstantKind::kGlobal) return nullptr;
  const ir::Global& global = module.globals()[constant.global];
  const bool is_computed =
      global.IsVariable() && global.IsThreadLocal() && global.address_space() == 0;
  return is_computed ? &global : nullptr;
}

// Whether the operand is a thread-local variable whose address the instruction computes.
bool ComputesAddress(const ir::Function& function, const ir::Instruction& instruction,
                     uint32_t index) {
  return instruction.opcode == Opcode::kFreeze ||
         (function.IntrinsicOf(instruction) == ir::IntrinsicId::kThreadlocalAddress && index == 0);
}

}  // namespace

uint32_t ConstantExpansion::CountOf(const ir::Constant& constant, unsigned depth) const {
  constexpr uint32_t kTooMany = kMost + 1;
  if (IsSupported(constant, *function_)) return 0;
  if (ThreadLocalOf(constant, function_->module()) != nullptr) return 1;
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
  if (constant == nullptr) return true;
  if (constant->kind != ConstantKind::kExpression &&
      (ThreadLocalOf(*constant, function_->module()) == nullptr ||
       ComputesAddress(*function_, instruction, index))) {
    return true;
  }
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

// One instruction serves the rest of the block: each is a call.
ir::Operand ConstantExpansion::AddressOfThreadLocal(const ir::Global& variable,
                                                    ir::Operand operand) {
  for (const auto& [known, address] : addresses_) {
    if (known == &variable) return address;
  }
  rewriter_.Add(Opcode::kFreeze, variable.type());
  rewriter_.AddOperand(operand);
  addresses_.push_back({&variable, rewriter_.Result()});
  return rewriter_.Result();
}

// Its operands come first.
ir::Operand ConstantExpansion::Write(ir::Operand operand) {
  const ir::Constant constant = function_->constant(operand);
  if (IsSupported(constant, *function_)) return operand;
  if (const ir::Global* variable = ThreadLocalOf(constant, function_->module())) {
    return AddressOfThreadLocal(*variable, operand);
  }
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
    addresses_.clear();
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
