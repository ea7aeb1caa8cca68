// The functions of the C library, or of the compiler's library, that implement intrinsics.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_

#include "llvm/IR/IntrinsicInst.h"

namespace firstcall::baseline {

// The name of a function that takes the intrinsic's arguments, floats or doubles, and returns its
// result. Null if there is none.
const char* MathFunctionOf(const llvm::IntrinsicInst& intrinsic);

// The immediate operand of ROUNDSS and ROUNDSD. Negative if the intrinsic is no rounding.
int RoundingModeOf(llvm::Intrinsic::ID id);

// Whether the intrinsic is a copy or a fill that is short enough to be inlined.
bool IsMadeInLine(const llvm::IntrinsicInst& intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_
