// The forward walk of Analysis: decides whether all of a function is covered (coverage.h), and
// numbers its values (value_facts.h).
//
// Thread-compatible: a function of its arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_NUMBERING_H_
#define FIRSTCALL_BACKEND_BASELINE_NUMBERING_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/refusal.h"

namespace firstcall::baseline {

// Replaces all of `facts` except `function`, `order` and `fixed_registers`, and returns kNone. If
// something in the body is not covered, returns why. Uses are not counted yet.
Refusal NumberValues(FunctionFacts& facts, const Architecture& architecture,
                     const CoverageOptions& options);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_NUMBERING_H_
