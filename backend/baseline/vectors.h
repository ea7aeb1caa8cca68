// Vectors.
//
// Operations that the processor has for all lanes are one instruction. Others are made lane by lane
// with general registers: the operands are in memory then, and so is the result until it is
// complete (lanes.h).
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VECTORS_H_
#define FIRSTCALL_BACKEND_BASELINE_VECTORS_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerVectorBinary(FunctionCode& code, const ir::Instruction& binary);
// Computes lane by lane into memory, and loads the result.
void LowerLanes(FunctionCode& code, const ir::Instruction& instruction);
// A cast of a vector of i1 to an integer, of at most 128 bits.
void CollectMaskBits(FunctionCode& code, const ir::Instruction& cast);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VECTORS_H_
