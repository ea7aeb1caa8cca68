#include "direct/address_uses.h"

#include <algorithm>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::direct {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

bool HasOnlyZeroIndices(const ir::Function& function, const ir::Instruction& element) {
  const absl::Span<const ir::Operand> indices = function.OperandsOf(element).subspan(1);
  return std::all_of(indices.begin(), indices.end(), [&](ir::Operand index) {
    const ir::Constant* const constant = function.ConstantOf(index);
    return constant != nullptr && constant->IsInteger() && constant->IsZero();
  });
}

bool IsUnused(const ir::Function& function, const ir::Instruction& instruction) {
  return instruction.value != ir::kNone && function.values[instruction.value].uses == 0;
}

bool IsLifetimeMark(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.opcode != Opcode::kCall) return false;
  const IntrinsicId intrinsic = function.IntrinsicOf(instruction);
  return intrinsic == IntrinsicId::kLifetimeStart || intrinsic == IntrinsicId::kLifetimeEnd;
}

// Whether operand number `operand` of `user` is a use of the alloca `variable` by which only the
// variable's value is loaded or stored, or its lifetime is marked.
bool IsAccess(const ir::Function& function, const ir::Instruction& variable,
              const ir::Instruction& user, uint32_t operand) {
  switch (user.opcode) {
    case Opcode::kLoad:
      return !user.is_volatile && user.type == variable.source_type;
    case Opcode::kStore:
      return operand == 0 && !user.is_volatile && function.TypeAt(user, 1) == variable.source_type;
    case Opcode::kCall:
      return IsLifetimeMark(function, user);
    case Opcode::kGetElementPtr:
      return IsUnused(function, user) && HasOnlyZeroIndices(function, user);
    case Opcode::kBitCast:
    case Opcode::kAddrSpaceCast:
      return IsUnused(function, user);
    default:
      return false;
  }
}

}  // namespace

bool IsOnlyAccessed(const ir::Function& function, const ir::Instruction& variable,
                    UserLists& users) {
  for (uint32_t number : users.UsersOf(variable.value)) {
    const ir::Instruction& user = function.instructions[number];
    const absl::Span<const ir::Operand> operands = function.OperandsOf(user);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == ir::Operand::Value(variable.value) &&
          !IsAccess(function, variable, user, i)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace firstcall::direct
