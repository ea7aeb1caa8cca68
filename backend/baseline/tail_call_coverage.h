// Decides which calls with `musttail` are covered (tail_calls.h).
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/tail_calls_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_TAIL_CALL_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_TAIL_CALL_COVERAGE_H_

#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// Whether the callee takes its arguments from the same places as the function itself, and returns
// its result in the same places. The function and the call must be covered otherwise.
bool IsCoveredTailCall(const ir::Function& function, const ir::Instruction& call);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_TAIL_CALL_COVERAGE_H_
