// The intrinsics that stand for one instruction of SSE or SSE2, which every x86-64 has.
//
// Thread-safe: a table and functions of their arguments. Tested in
// tests/backend/baseline/sse_intrinsics_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_SSE_INTRINSICS_H_
#define FIRSTCALL_BACKEND_BASELINE_SSE_INTRINSICS_H_

#include "backend/baseline/assembler_x86_64.h"
#include "backend/baseline/function_code.h"
#include "ir/instruction.h"

namespace firstcall::baseline::x86_64 {

// `intrinsic` must be one for which IsSseIntrinsic (intrinsic_coverage.h) holds.
void LowerSseIntrinsic(FunctionCode& code, AssemblerX86_64& native,
                       const ir::Instruction& intrinsic);

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_SSE_INTRINSICS_H_
