// Calls with `musttail`: the function leaves its frame, and jumps to the callee, whose arguments on
// the stack lie where the function's own arguments were.
//
// The return behind such a call is compiled like any other, and never reached.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/tail_calls_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_TAIL_CALLS_H_
#define FIRSTCALL_BACKEND_BASELINE_TAIL_CALLS_H_

#include "backend/baseline/calls.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

CallExtent LowerTailCall(FunctionCode& code, const ir::Instruction& call);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_TAIL_CALLS_H_
