// Which functions of the C library, or of the compiler's, intrinsics stand for.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_LIBRARY_FUNCTIONS_H_
#define FIRSTCALL_BASELINE_LIBRARY_FUNCTIONS_H_

#include "llvm/IR/IntrinsicInst.h"

namespace firstcall::baseline {

// The name of a function that takes the arguments of the intrinsic, floats or doubles, and returns
// its result; null if there is none.
const char* MathFunctionOf(const llvm::IntrinsicInst& intrinsic);

// The immediate operand of ROUNDSS and ROUNDSD; negative if the intrinsic is another one.
int RoundingModeOf(llvm::Intrinsic::ID id);

// Whether the intrinsic is a copy or a fill short enough to be made in line.
bool IsMadeInLine(const llvm::IntrinsicInst& intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_LIBRARY_FUNCTIONS_H_
