// The backward walk of Analysis: counts uses, finds where lives end and which instructions are
// deferred to their users, and notes the registers in which values are wanted.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_USES_H_
#define FIRSTCALL_BACKEND_BASELINE_USES_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/function_facts.h"

namespace firstcall::baseline {

// Completes `facts` of a function whose values have numbers, except `fixed_registers`.
void CountUses(FunctionFacts& facts, const Architecture& architecture);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_USES_H_
