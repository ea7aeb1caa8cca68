// Chooses the function that lowers an instruction.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INSTRUCTIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_INSTRUCTIONS_H_

#include "ir/instruction.h"

namespace firstcall::baseline {

struct FunctionCode;

// Emits the code of an instruction. Its uses of its operands are not counted down yet.
void Lower(FunctionCode& code, const ir::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INSTRUCTIONS_H_
