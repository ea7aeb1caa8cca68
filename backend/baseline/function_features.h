// Which features of x86-64 LLVM uses in a function, where that decides what the function computes
// or how others call it. The only unit of the baseline code generator's analysis that asks LLVM: it
// needs LLVM's lists of the features of CPUs, but no IR.
//
// If the function names a CPU, that CPU counts, and not the machine. The features that the function
// names count in both cases.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc and
// tests/backend/baseline/vector_passing_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_FUNCTION_FEATURES_H_
#define FIRSTCALL_BACKEND_BASELINE_FUNCTION_FEATURES_H_

#include "ir/attributes.h"

namespace firstcall::baseline {

// Whether LLVM compiles llvm.fmuladd to one fused instruction, whose result is rounded only once,
// or to a multiplication and an addition, in a function with these attributes, of x86-64.
// `has_fusion`: whether the machine fuses.
bool FusesMultiplications(const ir::AttributeSet& function, bool has_fusion);

// Whether vector registers of more than 16 bytes pass arguments and results of a function with
// these attributes, of x86-64, and of those that it calls; true also where that is not known.
// `has_avx`: whether the machine has such registers.
bool UsesWideRegisters(const ir::AttributeSet& function, bool has_avx);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FUNCTION_FEATURES_H_
