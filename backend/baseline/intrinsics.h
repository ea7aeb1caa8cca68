// Calls of intrinsics.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_
#define FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_

#include "ir/global.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic);
// The result of `instruction` is the address of the thread-local `variable`.
void LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                             const ir::Global& variable);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_
