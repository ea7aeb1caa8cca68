// Calls of constrained floating-point intrinsics, as clang writes them with -ffp-model=strict,
// -frounding-math or `#pragma STDC FENV_ACCESS ON`.
//
// Such a call becomes the instruction, or the call of the plain intrinsic, that computes the same,
// and is marked as strict (ir::Instruction): the instruction is executed once, where it stands,
// even if nothing uses its result; it rounds as the processor's mode says; and it raises the
// exceptions of the operation, and no others. What a call says about rounding and exceptions may
// allow more than that, and is not needed.
//
// Left as they are, so that LLVM compiles the function: operations on vectors, half and bfloat, and
// those for which the code generator has neither instructions nor a library's function.
//
// Called only for a function that was refused for what it calls, so that others pay nothing.
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/strict_floats_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_STRICT_FLOATS_H_
#define FIRSTCALL_BACKEND_BASELINE_STRICT_FLOATS_H_

#include "ir/function.h"

namespace firstcall::baseline {

// Takes time in proportion to the function's size. The numbers of values, instructions and blocks
// stay. False if nothing has changed.
bool MakeStrict(ir::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_STRICT_FLOATS_H_
