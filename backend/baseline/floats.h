// Floating point, and conversions.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FLOATS_H_
#define FIRSTCALL_BACKEND_BASELINE_FLOATS_H_

#include "backend/baseline/assembler.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerFloatBinary(FunctionCode& code, const ir::Instruction& binary);
void LowerFloatCast(FunctionCode& code, const ir::Instruction& cast);
void LowerIntegerToFloat(FunctionCode& code, const ir::Instruction& cast, bool is_signed);
void LowerFloatToInteger(FunctionCode& code, const ir::Instruction& cast, bool is_signed);
// llvm.is.fpclass of a float or a double.
void LowerFloatClass(FunctionCode& code, const ir::Instruction& intrinsic);
// llvm.fmuladd, llvm.fabs and llvm.copysign of vectors.
void LowerVectorFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic);
void LowerBitCast(FunctionCode& code, const ir::Instruction& cast);

FloatKind KindOf(const ir::Type* type);
// Whether the scalar operand is best read from memory; then sets `mem` to its address.
bool IsFloatInMemory(FunctionCode& code, ir::Operand operand, Mem& mem);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FLOATS_H_
