#include "backend/baseline/strict_floats.h"

#include <cstdint>

#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/constrained.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

bool IsCoveredNumber(const ir::Type* type) {
  return type->IsInteger() || type->IsFloat() || type->IsDouble() || IsLongDouble(type) ||
         IsQuad(type);
}

// Whether x87 instructions convert the number to an integer of unusual width. How LLVM widens these
// decides which numbers are out of range.
bool IsOddConversion(const ir::Type* from, const ir::Type* to) {
  if (!IsLongDouble(from) || !to->IsInteger()) return false;
  return to->number != 8 && to->number != 16 && to->number != 32 && to->number != 64 &&
         to->number != 128;
}

// The operation whose call becomes a strict instruction; null if none.
const ir::ConstrainedOperation* OperationOf(const ir::Function& function,
                                            const ir::Instruction& call) {
  if (call.opcode != Opcode::kCall || call.is_strict) return nullptr;
  const ir::ConstrainedOperation* const operation =
      ir::ConstrainedOperationOf(function.IntrinsicOf(call));
  if (operation == nullptr || function.CallOf(call).has_bundles) return nullptr;
  if (!IsCoveredNumber(call.type)) return nullptr;
  for (uint32_t i = 0; i < operation->argument_count; ++i) {
    if (!IsCoveredNumber(function.TypeAt(call, i))) return nullptr;
  }
  const ir::Type* const first = function.TypeAt(call, 0);
  const bool is_cast = operation->opcode == Opcode::kFPToSI || operation->opcode == Opcode::kFPToUI;
  return is_cast && IsOddConversion(first, call.type) ? nullptr : operation;
}

void Replace(ir::Function& function, ir::Instruction& call,
             const ir::ConstrainedOperation& operation) {
  const uint32_t count = operation.argument_count;
  call.is_strict = true;
  if (operation.opcode == Opcode::kCall) {
    function.operands[call.first_operand + count] = function.CalleeOf(call);
    function.calls[call.call].argument_count = count;
    call.operand_count = count + 1;
    return;
  }
  if (operation.opcode == Opcode::kFCmp) {
    // The reader has checked the text.
    ir::Predicate predicate = ir::Predicate::kFalse;
    const ir::Constant& text = function.constant(function.OperandOf(call, count));
    ir::FindConstrainedPredicate(text.data(), predicate);
    call.code = static_cast<uint8_t>(predicate);
    call.is_signaling = operation.is_signaling;
  }
  call.opcode = operation.opcode;
  call.operand_count = count;
  call.call = ir::kNone;
}

}  // namespace

bool MakeStrict(ir::Function& function) {
  bool has_changed = false;
  for (ir::Instruction& instruction : function.instructions) {
    const ir::ConstrainedOperation* const operation = OperationOf(function, instruction);
    if (operation == nullptr) continue;
    Replace(function, instruction, *operation);
    has_changed = true;
  }
  return has_changed;
}

}  // namespace firstcall::baseline
