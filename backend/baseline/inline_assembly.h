// Calls of inline assembly with a text. The registers that the assembly changes are those that
// calls change, and more if the text says so, so that in most respects such a call is a call.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/inline_assembly_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INLINE_ASSEMBLY_H_
#define FIRSTCALL_BACKEND_BASELINE_INLINE_ASSEMBLY_H_

#include "backend/baseline/function_code.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// `call` calls assembly that is covered. Refuses the function (FunctionCode::refusal) if the
// assembler does not take the text.
void LowerInlineAssembly(FunctionCode& code, const ir::Instruction& call);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INLINE_ASSEMBLY_H_
