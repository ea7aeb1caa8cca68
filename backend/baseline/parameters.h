// The function's own parameters: where its code finds them when it begins.
//
// Thread-compatible: a function of its arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_PARAMETERS_H_
#define FIRSTCALL_BACKEND_BASELINE_PARAMETERS_H_

#include <cstdint>

namespace firstcall::baseline {

struct FunctionCode;

// What the function's end, or va_start, has to know of the parameters.
struct Parameters {
  int32_t result_address = 0;  // Place in the frame of the sret address; 0 if it is not kept.
  int32_t error_place = 0;     // Place of the `swifterror` parameter's variable; 0 if none.
  // In a variadic function: the registers and stack bytes that its named arguments take.
  unsigned named_general = 0, named_vectors = 0;
  int32_t named_stack = 0;  // In bytes, a multiple of 8.
};

// Gives each parameter that is used its place, and moves it there. Replaces `code.parameters`.
void BindParameters(FunctionCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_PARAMETERS_H_
