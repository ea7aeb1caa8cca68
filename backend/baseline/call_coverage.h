// Which calls the baseline code generator covers: of functions, of intrinsics
// (intrinsic_coverage.h), and of inline assembly.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CALL_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_CALL_COVERAGE_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/refusal.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// `call`: a call or an invoke of `function`.
Refusal RefusalOfCall(const ir::Function& function, const ir::Instruction& call,
                      const Architecture& architecture, const CoverageOptions& options);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CALL_COVERAGE_H_
