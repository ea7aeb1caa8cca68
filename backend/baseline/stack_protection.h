// Stack protection: which functions keep a guard in their frames, and which variables lie next to
// the guard, so that an overflow of a variable changes the guard before it changes the caller's
// frame. Functions ask for it by an attribute: `ssp`, `sspstrong` or `sspreq`.
//
// LLVM decides by the same rules (llvm/lib/CodeGen/StackProtector.cpp of LLVM 19). Where this
// analysis knows less than LLVM's, it protects more.
//
// Thread-safe: pure functions of their arguments. Tested in
// tests/backend/baseline/stack_protection_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_STACK_PROTECTION_H_
#define FIRSTCALL_BACKEND_BASELINE_STACK_PROTECTION_H_

#include "backend/baseline/coverage_options.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/refusal.h"
#include "ir/attributes.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// Whether a function with these attributes asks for stack protection.
bool AsksForProtection(const ir::AttributeSet& attributes);

// Sets `has_guard`, `guarded_variables` and, because a failed check is a call, `has_call` of a
// function whose values have numbers. Returns kFunctionAttribute if the guard is in an unusual
// place.
Refusal PlanStackProtection(FunctionFacts& facts, const CoverageOptions& options);

// Whether the call may end the function by an exception only: it never returns. The guard is
// checked before such a call, because no return of the function checks it.
bool LeavesByException(const ir::Function& function, const ir::Instruction& call);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_STACK_PROTECTION_H_
