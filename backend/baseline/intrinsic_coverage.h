// Which calls of intrinsics the baseline code generator covers.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTRINSIC_COVERAGE_H_
#define FIRSTCALL_BACKEND_BASELINE_INTRINSIC_COVERAGE_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/refusal.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline {

// `intrinsic`: what `call` calls.
Refusal RefusalOfIntrinsic(const ir::Function& function, const ir::Instruction& call,
                           ir::IntrinsicId intrinsic, const Architecture& architecture,
                           const CoverageOptions& options);

// Whether the intrinsic is an instruction of SSE or SSE2 (sse_intrinsics.h).
inline bool IsSseIntrinsic(ir::IntrinsicId intrinsic) {
  return intrinsic >= ir::IntrinsicId::kX86SseCvtss2si &&
         intrinsic <= ir::IntrinsicId::kX86Sse2PsrliW;
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INTRINSIC_COVERAGE_H_
