// Structures and arrays as values: their parts are values of their own.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_
#define FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerExtractValue(FunctionCode& code, const ir::Instruction& extract);
void LowerInsertValue(FunctionCode& code, const ir::Instruction& insert);
// Of a value of any type.
void LowerFreeze(FunctionCode& code, const ir::Instruction& freeze);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_AGGREGATES_H_
