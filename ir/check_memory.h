// Checks the instructions that take memory, read it or write to it.
//
// For ir/check. Thread-safe: pure functions. What they need to be true already is said in
// ir/check.h.

#ifndef FIRSTCALL_IR_CHECK_MEMORY_H_
#define FIRSTCALL_IR_CHECK_MEMORY_H_

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "ir/fault.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"
#include "ir/type.h"

namespace firstcall::ir {

// The logarithm of the largest alignment, in bytes, that is known here: a number of 31 bits.
inline constexpr uint8_t kMostAlignmentLog = 30;

// `operands` are those of the instruction, as many as its opcode wants, here and below.
//
// Of a load or a store of `type` to `pointer`. What most are is decided in line.
Fault CheckUnusualAccess(const Instruction& access, const Type& pointer, const Type& type);
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Fault CheckAccess(const Instruction& access,
                                                      const Type& pointer, const Type& type) {
  const bool is_usual = pointer.IsPointer() && type.is_sized && !access.IsAtomic() &&
                        access.alignment_log <= kMostAlignmentLog;
  return is_usual ? Fault() : CheckUnusualAccess(access, pointer, type);
}
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Fault CheckLoad(const Instruction& load,
                                                    absl::Span<const Operand> operands,
                                                    const OperandScope& scope) {
  return CheckAccess(load, *scope.TypeOf(operands[0]), *load.type);
}
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Fault CheckStore(const Instruction& store,
                                                     absl::Span<const Operand> operands,
                                                     const OperandScope& scope) {
  return CheckAccess(store, *scope.TypeOf(operands[0]), *scope.TypeOf(operands[1]));
}

Fault CheckAlloca(const Instruction& alloca, absl::Span<const Operand> operands,
                  const OperandScope& scope);
Fault CheckFence(const Instruction& fence);
Fault CheckCompareExchange(const Instruction& exchange, absl::Span<const Operand> operands,
                           const OperandScope& scope);
Fault CheckAtomicUpdate(const Instruction& update, absl::Span<const Operand> operands,
                        const OperandScope& scope);
Fault CheckVariadicArgument(const Instruction& argument, absl::Span<const Operand> operands,
                            const OperandScope& scope);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_MEMORY_H_
