// Calls of intrinsics.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_
#define FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INTRINSICS_H_
