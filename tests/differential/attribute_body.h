// Writes random bodies of functions, as text of LLVM IR: loops that LLVM vectorizes, and scalar
// code, with all intrinsics for which optimized code may be for another CPU than the program's.
// Their behaviour is defined, and does not depend on how numbers are rounded, nor on pointers.
//
// Thread-compatible.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_BODY_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_BODY_H_

#include <string>
#include <vector>

#include "tests/differential/attribute_choice.h"

namespace firstcall::testing {

// In each buffer of integers and of floating-point numbers.
inline constexpr int kBufferBytes = 1024;

// A function of scalars, `i64 (i64, i64)`, which bodies may call: the words before its name in a
// call, and its name with "@".
struct ScalarFunction {
  std::string before_name;
  std::string name;
};

// Bodies of functions with these arguments: %a and %b, buffers that are read, %c, one that is
// written, i32 %n, and %x of the type `element`. The result has that type, too. `callees` are
// called in loops.
std::string IntegerLoopBody(const std::string& element, const std::vector<ScalarFunction>& callees,
                            Random& random);

// The same for float and double. `is_exact`: the order of the operations does not matter.
std::string NumberLoopBody(const std::string& element, bool is_exact, Random& random);

// A body of a function `i64 (i64 %x, i64 %y)`.
std::string ScalarBody(const std::vector<ScalarFunction>& callees, Random& random);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_BODY_H_
