// Checks the operands and results of instructions, and of constant expressions, that compute values
// from values.
//
// For ir/check and ir/check_constants. Thread-safe: pure functions. What they need to be true
// already is said in ir/check.h.

#ifndef FIRSTCALL_IR_CHECK_OPERATION_H_
#define FIRSTCALL_IR_CHECK_OPERATION_H_

#include <cstdint>

#include "absl/types/span.h"
#include "ir/fault.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"
#include "ir/type.h"

namespace firstcall::ir {

// `operands` has as many as `opcode` wants, here and below. kAdd to kXor.
Fault CheckBinary(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                  const OperandScope& scope);

// kExtractElement, kInsertElement or kShuffleVector.
Fault CheckVectorOperation(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                           const OperandScope& scope);

// A getelementptr, with at least the base, that indexes `source`.
Fault CheckElementAddress(const Type& result, const Type& source,
                          absl::Span<const Operand> operands, const OperandScope& scope);

Fault CheckComparison(const Instruction& comparison, absl::Span<const Operand> operands,
                      const OperandScope& scope);

Fault CheckSelect(const Type& result, absl::Span<const Operand> operands,
                  const OperandScope& scope);

// kExtractValue or kInsertValue. `indices`: of the members.
Fault CheckMemberAccess(Opcode opcode, const Type& result, absl::Span<const Operand> operands,
                        absl::Span<const uint32_t> indices, const OperandScope& scope);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_OPERATION_H_
