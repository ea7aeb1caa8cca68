// Comparisons, and what depends on them without a branch.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_COMPARISONS_H_
#define FIRSTCALL_BACKEND_BASELINE_COMPARISONS_H_

#include "backend/baseline/flag_test.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionCode;

// Returns the condition for a comparison of integers.
Cond CondOf(ir::Predicate predicate);

void LowerCompare(FunctionCode& code, const ir::Instruction& compare);
void LowerSelect(FunctionCode& code, const ir::Instruction& select);
// Emits a test of an i1. The returned test holds if the i1 is set.
FlagTest EmitTest(FunctionCode& code, ir::Operand condition);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_COMPARISONS_H_
