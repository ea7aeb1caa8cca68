// Branches, switches, returns.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CONTROL_FLOW_H_
#define FIRSTCALL_BACKEND_BASELINE_CONTROL_FLOW_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

void LowerBranch(FunctionCode& code, const ir::Instruction& branch);
void LowerSwitch(FunctionCode& code, const ir::Instruction& instruction);
void LowerIndirectBranch(FunctionCode& code, const ir::Instruction& branch);
// Before a return: loads the address of the result if the function has to return that.
void LoadResultAddress(FunctionCode& code);
void LowerReturn(FunctionCode& code, const ir::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CONTROL_FLOW_H_
