// Numbers of type fp128, with which functions of the compiler's library compute. On AArch64 they
// are C's long doubles.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/quad_floats_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_QUAD_FLOATS_H_
#define FIRSTCALL_BACKEND_BASELINE_QUAD_FLOATS_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

// Arithmetic and conversions.
void LowerQuad(FunctionCode& code, const ir::Instruction& instruction);
// Neither kOne nor kUeq.
void LowerQuadCompare(FunctionCode& code, const ir::Instruction& compare);
// A negation, or llvm.fabs or llvm.copysign.
void LowerQuadSign(FunctionCode& code, const ir::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_QUAD_FLOATS_H_
