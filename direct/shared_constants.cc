#include "direct/shared_constants.h"

#include <cstddef>

#include "absl/types/span.h"
#include "direct/library_functions.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

// As many uses as LLVM looks at before it gives up (llvm::PointerMayBeCaptured).
constexpr size_t kMostUses = 100;
// Longer chains of expressions are not followed.
constexpr int kMostSteps = 1024;

bool HasParts(const ir::Constant& constant) { return !constant.operands().empty(); }

// The variable that `address` points to or into; ir::kNone if `address` is anything else.
uint32_t VariableAt(const ir::Constants& constants, ir::Operand address) {
  for (int step = 0; step < kMostSteps; ++step) {
    const ir::Constant& constant = constants[address];
    if (constant.IsGlobal()) {
      return constants.module().globals()[constant.global].IsVariable() ? constant.global
                                                                        : ir::kNone;
    }
    if (constant.kind != ir::ConstantKind::kExpression || !constant.type->IsPointer()) break;
    address = constant.operands()[0];
    if (!constants[address].type->IsPointer()) break;
  }
  return ir::kNone;
}

bool IsVolatileCopy(const ir::Function& function, const ir::Instruction& call) {
  switch (function.IntrinsicOf(call)) {
    case ir::IntrinsicId::kMemcpy:
    case ir::IntrinsicId::kMemcpyInline:
    case ir::IntrinsicId::kMemmove:
    case ir::IntrinsicId::kMemset:
    case ir::IntrinsicId::kMemsetInline: {
      const absl::Span<const ir::Operand> arguments = function.ArgumentsOf(call);
      const ir::Constant* const is_volatile = function.ConstantOf(arguments.back());
      return is_volatile == nullptr || !is_volatile->IsZero();
    }
    default:
      return false;
  }
}

bool ReturnsItsArgument(const ir::Function& function, const ir::Instruction& call) {
  switch (function.IntrinsicOf(call)) {
    case ir::IntrinsicId::kLaunderInvariantGroup:
    case ir::IntrinsicId::kStripInvariantGroup:
      return true;
    case ir::IntrinsicId::kThreadlocalAddress:
      return !function.attributes().function.Has(ir::Attribute::kPresplitCoroutine);
    default:
      return false;
  }
}

}  // namespace

void SharedConstants::Find(const ir::Function& function, IsAskedFor is_asked_for,
                           Variables& escaping) {
  function_ = &function;
  users_.Begin(function);
  for (const ir::Instruction& instruction : function.instructions) {
    for (uint32_t i = 0; i < instruction.operand_count; ++i) {
      if (function.OperandOf(instruction, i).IsConstant()) {
        FindAt(instruction, i, is_asked_for, escaping);
      }
    }
  }
}

void SharedConstants::FindAt(const ir::Instruction& instruction, uint32_t operand,
                             IsAskedFor is_asked_for, Variables& escaping) {
  const ir::Operand address = function_->OperandOf(instruction, operand);
  const ir::Constant& constant = function_->constant(address);
  if (!constant.IsGlobal() && !HasParts(constant)) return;
  const ir::Constants constants = function_->all_constants();
  const uint32_t variable = VariableAt(constants, address);
  if (variable == ir::kNone) {
    if (HasParts(constant)) FindIn(constants, address, is_asked_for, escaping);
    return;
  }
  if (!is_asked_for(variable) || escaping.contains(variable)) return;
  if (MayEscapeFrom(instruction, operand)) {
    escaping.insert(variable);
    return;
  }
  // The addresses that are read from it may get anywhere.
  const ir::Operand initializer = function_->module().globals()[variable].initializer;
  if (initializer.IsConstant()) FindIn(constants, initializer, is_asked_for, escaping);
}

void SharedConstants::FindIn(const ir::Constants& constants, ir::Operand constant,
                             IsAskedFor is_asked_for, Variables& escaping) {
  seen_constants_.clear();
  pending_constants_.assign(1, constant);
  while (!pending_constants_.empty()) {
    const ir::Operand operand = pending_constants_.back();
    pending_constants_.pop_back();
    const ir::Constant& part = constants[operand];
    if (part.IsGlobal()) {
      const bool is_variable = constants.module().globals()[part.global].IsVariable();
      if (is_variable && is_asked_for(part.global)) escaping.insert(part.global);
    } else if (HasParts(part) && seen_constants_.insert(operand.number()).second) {
      for (ir::Operand inner : part.operands()) {
        if (inner.IsConstant()) pending_constants_.push_back(inner);
      }
    }
  }
}

bool SharedConstants::MayEscapeFrom(const ir::Instruction& instruction, uint32_t operand) {
  switch (instruction.opcode) {
    case ir::Opcode::kLoad:
      return false;
    case ir::Opcode::kStore:
      return operand != 0;
    case ir::Opcode::kGetElementPtr:
    case ir::Opcode::kPhi:
    case ir::Opcode::kSelect:
    case ir::Opcode::kFreeze:
      return !instruction.type->IsPointer() || MayBeCaptured(instruction);
    default:
      if (ir::IsCast(instruction.opcode)) {
        return !instruction.type->IsPointer() || MayBeCaptured(instruction);
      }
      return !instruction.IsCall() || operand >= function_->CallOf(instruction).argument_count ||
             !ForgetsArgument(instruction, operand);
  }
}

bool SharedConstants::ForgetsArgument(const ir::Instruction& call, uint32_t argument) const {
  const ir::AttributeList& attributes = *function_->CallOf(call).attributes;
  if (attributes.OfParameter(argument).Has(ir::Attribute::kNoCapture)) return true;
  const ir::Global* const callee = function_->CalledFunctionOf(call);
  if (callee == nullptr) return false;
  if (callee->attributes()->OfParameter(argument).Has(ir::Attribute::kNoCapture)) return true;
  if (attributes.function.Has(ir::Attribute::kNoBuiltin) ||
      callee->attributes()->function.Has(ir::Attribute::kNoBuiltin) ||
      argument >= callee->value_type()->parameters().size()) {
    return false;
  }
  return (ForgottenParameters(*callee) >> argument & 1) != 0;
}

bool SharedConstants::MayBeCaptured(const ir::Instruction& instruction) {
  seen_values_.clear();
  pending_values_.clear();
  size_t uses = 0;
  const auto add = [&](uint32_t value) {
    if (!seen_values_.insert(value).second) return true;
    uses += function_->values[value].uses;
    pending_values_.push_back(value);
    return uses <= kMostUses;
  };
  if (!add(instruction.value)) return true;
  while (!pending_values_.empty()) {
    const uint32_t value = pending_values_.back();
    pending_values_.pop_back();
    for (uint32_t number : users_.UsersOf(value)) {
      const ir::Instruction& user = function_->instructions[number];
      for (uint32_t i = 0; i < user.operand_count; ++i) {
        if (function_->OperandOf(user, i) != ir::Operand::Value(value)) continue;
        const Use use = UseBy(user, i);
        if (use == Use::kCaptured) return true;
        if (use == Use::kPassedOn && !add(user.value)) return true;
      }
    }
  }
  return false;
}

// As llvm::DetermineUseCaptureKind.
SharedConstants::Use SharedConstants::UseBy(const ir::Instruction& user, uint32_t operand) const {
  switch (user.opcode) {
    case ir::Opcode::kCall:
    case ir::Opcode::kInvoke:
      return UseByCall(user, operand);
    case ir::Opcode::kLoad:
      return user.is_volatile ? Use::kCaptured : Use::kHarmless;
    case ir::Opcode::kVAArg:
      return Use::kHarmless;
    case ir::Opcode::kStore:
    case ir::Opcode::kAtomicRmw:
    case ir::Opcode::kCmpXchg:
      return operand != 0 || user.is_volatile ? Use::kCaptured : Use::kHarmless;
    case ir::Opcode::kGetElementPtr:
      return user.type->IsVector() ? Use::kCaptured : Use::kPassedOn;
    case ir::Opcode::kBitCast:
    case ir::Opcode::kPhi:
    case ir::Opcode::kSelect:
    case ir::Opcode::kAddrSpaceCast:
      return Use::kPassedOn;
    case ir::Opcode::kICmp:
      return IsComparedWithNull(user, operand) ? Use::kHarmless : Use::kCaptured;
    default:
      return Use::kCaptured;
  }
}

SharedConstants::Use SharedConstants::UseByCall(const ir::Instruction& call,
                                                uint32_t operand) const {
  if (ReturnsItsArgument(*function_, call)) return Use::kPassedOn;
  if (IsVolatileCopy(*function_, call)) return Use::kCaptured;
  if (operand + 1 == call.operand_count) return Use::kHarmless;  // What is called.
  const ir::AttributeList& attributes = *function_->CallOf(call).attributes;
  if (attributes.OfParameter(operand).Has(ir::Attribute::kNoCapture)) return Use::kHarmless;
  const ir::Global* const callee = function_->CalledFunctionOf(call);
  const bool is_forgotten = callee != nullptr && callee->attributes()->OfParameter(operand).Has(
                                                     ir::Attribute::kNoCapture);
  return is_forgotten ? Use::kHarmless : Use::kCaptured;
}

// Whether the address is compared with null, and certainly is not null itself.
bool SharedConstants::IsComparedWithNull(const ir::Instruction& comparison,
                                         uint32_t operand) const {
  const ir::Operand other = function_->OperandOf(comparison, 1 - operand);
  const ir::Constant* const null = function_->ConstantOf(other);
  if (null == nullptr || null->kind != ir::ConstantKind::kNull || !null->type->IsPointer() ||
      function_->attributes().function.Has(ir::Attribute::kNullPointerIsValid)) {
    return false;
  }
  ir::Operand address = function_->OperandOf(comparison, operand);
  for (int step = 0; step < kMostSteps; ++step) {
    const ir::Instruction* const definition = function_->DefinitionOf(address);
    if (definition == nullptr) {
      const ir::Global* const global = function_->GlobalOf(address);
      return global != nullptr && global->IsVariable();
    }
    if (definition->opcode == ir::Opcode::kGetElementPtr) {
      bool is_same_place = true;
      for (ir::Operand index : function_->OperandsOf(*definition).subspan(1)) {
        const ir::Constant* const constant = function_->ConstantOf(index);
        is_same_place = is_same_place && constant != nullptr && constant->IsZero();
      }
      if (!is_same_place) return false;
    } else if (definition->opcode != ir::Opcode::kBitCast) {
      return false;
    }
    address = function_->OperandOf(*definition, 0);
  }
  return false;
}

}  // namespace firstcall::direct
