// The functions of the C library, or of the compiler's library, that implement intrinsics.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_
#define FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_

#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "ir/type.h"

namespace firstcall::baseline {

// The name of a function that takes the intrinsic's arguments, floating-point numbers, and returns
// its result. Null if there is none. `type`: the type of the intrinsic's first argument.
const char* MathFunctionOf(ir::IntrinsicId intrinsic, const ir::Type& type);

// Whether there is such a function for the intrinsic that `call` calls.
bool HasMathFunction(const ir::Function& function, const ir::Instruction& call,
                     ir::IntrinsicId intrinsic);

// The immediate operand of ROUNDSS and ROUNDSD. Negative if the intrinsic is no rounding.
int RoundingModeOf(ir::IntrinsicId id);

// Whether the intrinsic is a copy or a fill that is short enough to be inlined.
bool IsMadeInLine(const ir::Function& function, const ir::Instruction& intrinsic);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LIBRARY_FUNCTIONS_H_
