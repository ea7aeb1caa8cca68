// Checks calls of LLVM's intrinsics, as far as code generation relies on their signatures.
//
// For ir/check. Thread-safe: pure functions.

#ifndef FIRSTCALL_IR_CHECK_INTRINSIC_H_
#define FIRSTCALL_IR_CHECK_INTRINSIC_H_

#include "absl/types/span.h"
#include "ir/fault.h"
#include "ir/global.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"
#include "ir/type.h"

namespace firstcall::ir {

// A call of `callee`, an intrinsic, by its own type, with these arguments, whose types fit that
// type. `caller`: the type of the function that calls. Unknown if the signature is not the one of
// LLVM 19: another version's intrinsic with the same name may have it.
Fault CheckIntrinsic(const Global& callee, absl::Span<const Operand> arguments, const Type& caller,
                     const OperandScope& scope);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_INTRINSIC_H_
