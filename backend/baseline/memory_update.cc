#include "backend/baseline/memory_update.h"

#include <utility>

namespace firstcall::baseline {
namespace {

bool IsOperation(const ir::Instruction& operation) {
  switch (operation.opcode) {
    case ir::Opcode::kAdd:
    case ir::Opcode::kSub:
    case ir::Opcode::kAnd:
    case ir::Opcode::kOr:
    case ir::Opcode::kXor:
      break;
    default:
      return false;
  }
  const ir::Type* type = operation.type;
  return type->IsInteger(8) || type->IsInteger(16) || type->IsInteger(32) || type->IsInteger(64);
}

// The load of `value`, if it is from where `store` writes to and needed for nothing else.
const ir::Instruction* LoadFor(const ir::Function& function, ir::Operand value,
                               const ir::Instruction& store) {
  const ir::Instruction* load = function.DefinitionOf(value);
  return load != nullptr && load->opcode == ir::Opcode::kLoad && load->IsSimple() &&
                 function.HasOneUse(load->value) &&
                 function.OperandOf(*load, 0) == function.OperandOf(store, 0) &&
                 load->block == store.block
             ? load
             : nullptr;
}

}  // namespace

MemoryUpdate UpdateEndingIn(const ir::Function& function, const ir::Instruction& store) {
  const ir::Instruction* operation = function.DefinitionOf(function.OperandOf(store, 1));
  if (operation == nullptr || !store.IsSimple() || !IsOperation(*operation) ||
      operation->block != store.block) {
    return {};
  }
  const uint32_t uses = function.values[operation->value].uses;
  if (uses != 1 && (uses != 2 || TestOfUpdate(function, store) == nullptr)) return {};
  ir::Operand left = function.OperandOf(*operation, 0);
  ir::Operand right = function.OperandOf(*operation, 1);
  const ir::Instruction* load = LoadFor(function, left, store);
  if (load == nullptr && ir::IsCommutative(operation->opcode)) {
    std::swap(left, right);
    load = LoadFor(function, left, store);
  }
  return {load, operation, right};
}

const ir::Instruction* TestOfUpdate(const ir::Function& function, const ir::Instruction& store) {
  // A store ends no block, nor does a comparison, so an instruction of the same block follows each.
  const uint32_t behind = function.NumberOf(store) + 1;
  const ir::Instruction& test = function.instructions[behind];
  if (test.opcode != ir::Opcode::kICmp ||
      function.OperandOf(test, 0) != function.OperandOf(store, 1)) {
    return nullptr;
  }
  const ir::Value& result = function.values[test.value];
  if (result.uses != 1 || result.first_user != behind + 1 ||
      function.instructions[behind + 1].opcode != ir::Opcode::kBr) {
    return nullptr;
  }
  const ir::Constant* zero = function.ConstantOf(function.OperandOf(test, 1));
  if (zero == nullptr || !zero->IsInteger() || !zero->IsZero()) return nullptr;
  switch (test.predicate()) {
    case ir::Predicate::kIcmpEq:
    case ir::Predicate::kIcmpNe:
    case ir::Predicate::kIcmpSlt:
    case ir::Predicate::kIcmpSge:
      return &test;
    default:
      return nullptr;
  }
}

MemoryUpdate UpdateBeginningWith(const ir::Function& function, const ir::Instruction& load) {
  if (!function.HasOneUse(load.value)) return {};
  const ir::Instruction& operation = function.instructions[function.values[load.value].first_user];
  if (operation.value == ir::kNone) return {};
  // An update's operation has two users at most.
  const ir::Value& result = function.values[operation.value];
  for (uint32_t user : {result.first_user, result.last_user}) {
    if (user == ir::kNone || function.instructions[user].opcode != ir::Opcode::kStore) continue;
    const MemoryUpdate update = UpdateEndingIn(function, function.instructions[user]);
    if (update.load == &load) return update;
  }
  return {};
}

}  // namespace firstcall::baseline
