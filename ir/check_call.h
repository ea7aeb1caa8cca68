// Checks calls: of functions, of addresses and of intrinsics.
//
// For ir/check. Thread-safe: pure functions. What they need to be true already is said in
// ir/check.h.

#ifndef FIRSTCALL_IR_CHECK_CALL_H_
#define FIRSTCALL_IR_CHECK_CALL_H_

#include "ir/fault.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand_scope.h"

namespace firstcall::ir {

// `instruction` is a kCall, kInvoke or kCallBr of `function`. Does not look at its targets.
Fault CheckCall(const Function& function, const Instruction& instruction,
                const OperandScope& scope);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_CALL_H_
