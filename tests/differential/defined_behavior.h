// Takes undefined behaviour out of a function that llvm-stress made, so that every compiler, at any
// level, must give it the same results.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_DEFINED_BEHAVIOR_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_DEFINED_BEHAVIOR_H_

#include "llvm/IR/Function.h"

namespace firstcall::testing {

// What a pointer argument of such a function must point to, in bytes, and its alignment: the
// function accesses at most <16 x i64> at the start.
inline constexpr unsigned kStressBufferSize = 128;

// Changes `function` so that
//   - allocas are initialized, and large enough for whatever type is loaded from them;
//   - shift amounts, divisors and vector indices are in range, and so is what is converted to an
//     integer;
//   - an i1, or a vector of them, is loaded from memory that may hold anything;
//   - no result is poison or undef, and a NaN, whose bits the language leaves open, becomes zero;
//   - every loop ends: a branch back is taken at most `max_iterations` times in one call.
// Thread-compatible. llvm-stress makes no pointers in memory and no calls; these are not looked at.
void DefineBehavior(llvm::Function& function, unsigned max_iterations);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_DEFINED_BEHAVIOR_H_
