// Structures and arrays as values: their parts are values of their own.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_
#define FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_

#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerExtractValue(FunctionCode& code, const ir::Instruction& extract);
void LowerInsertValue(FunctionCode& code, const ir::Instruction& insert);
// Copies a part of an operand to a part of the result. Parts are copied one after the other, and
// none is kept in a register for the next.
void CopyPart(FunctionCode& code, const ir::Instruction& result, unsigned result_part,
              ir::Operand from, unsigned from_part);
// Of a value of any type.
void LowerFreeze(FunctionCode& code, const ir::Instruction& freeze);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_
