// Decides which functions and instructions the baseline code generator compiles. The parts of the
// answer: attributes and signatures of functions (function_coverage.cc), calls (call_coverage.h),
// intrinsics (intrinsic_coverage.h), how values are passed (passing_coverage.h), constants
// (operand_coverage.h).
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/refusal.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

// The refusal because of the function's attributes and its signature.
Refusal RefusalOf(const ir::Function& function, const Architecture& architecture,
                  const CoverageOptions& options);

// `instruction` must be of `function`. If the instruction calls llvm.fmuladd, the
// caller must ask FusesMultiplications (function_features.h) too: the answer holds for the whole
// function.
Refusal RefusalOf(const ir::Function& function, const ir::Instruction& instruction,
                  const Architecture& architecture, const CoverageOptions& options);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_COVERAGE_H_
