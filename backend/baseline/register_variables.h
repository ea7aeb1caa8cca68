// Register variables: variables in the frame (allocas) whose contents are in a fixed register,
// while the place in the frame is not used. Front ends keep each variable of their language in
// memory, and leave it to optimization to find out which ones need none; a first body is not
// optimized.
//
// A variable may be one if it is an integer of 1, 2, 4 or 8 bytes, a pointer, a float or a double,
// and everything that its address is used for is to load and to store all of it, without `volatile`
// or atomicity (uses.h). Which ones are, RegisterFixer decides.
//
// When a body is left at a loop, its OSR continuation is passed the variables' addresses. So the
// code by which the body is left first stores register variables to their places (polls.h).
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/register_variables_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTER_VARIABLES_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTER_VARIABLES_H_

#include "backend/baseline/function_code.h"
#include "backend/baseline/memory_update.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

// The register of the register variable whose address `pointer` is; kNoRegister if it is none.
Register VariableAt(const FunctionCode& code, ir::Operand pointer);

// The register of the register variable that `value` is loaded from, if the load is computed where
// its user is; otherwise kNoRegister. The user may read the register, and must not change it.
Register VariableReadBy(const FunctionCode& code, ir::Operand value);

// `variable`: the register of a register variable.
void LoadVariable(FunctionCode& code, const ir::Instruction& load, Register variable);
void StoreVariable(FunctionCode& code, Register variable, ir::Operand value);
// Performs the whole `update`. The flags say nothing of the result.
void UpdateVariable(FunctionCode& code, Register variable, const MemoryUpdate& update);

// Stores each register variable to its place in the frame. (Those whose life has not begun, or is
// over, get any contents.)
void StoreVariablesToFrame(FunctionCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTER_VARIABLES_H_
