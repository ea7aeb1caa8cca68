// Checks the texts by which calls of constrained intrinsics say how numbers are rounded.
//
// For ir/check_intrinsic. Thread-safe: pure functions.

#ifndef FIRSTCALL_IR_CHECK_CONSTRAINTS_H_
#define FIRSTCALL_IR_CHECK_CONSTRAINTS_H_

#include "absl/types/span.h"
#include "ir/constrained.h"
#include "ir/fault.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"

namespace firstcall::ir {

// `texts`: the arguments behind those that the operation computes with, as many as it has texts.
Fault CheckConstraints(const ConstrainedOperation& operation, absl::Span<const Operand> texts,
                       const OperandScope& scope);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_CONSTRAINTS_H_
