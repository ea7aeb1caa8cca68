// Whether LLVM compiles llvm.fmuladd to one fused instruction, whose result is rounded only once,
// or to a multiplication and an addition. The only unit of the baseline code generator's analysis
// that asks LLVM: it needs LLVM's lists of the features of CPUs, but no IR.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FUSION_H_
#define FIRSTCALL_BACKEND_BASELINE_FUSION_H_

#include "ir/attributes.h"

namespace firstcall::baseline {

// Whether LLVM fuses multiplications with additions in a function with these attributes, of x86-64.
// If the function names a CPU, that CPU counts, and not the machine, which fuses if `has_fusion`.
// The features that the function names count in both cases.
bool FusesMultiplications(const ir::AttributeSet& function, bool has_fusion);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FUSION_H_
