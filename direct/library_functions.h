// Functions of the C library that forget arguments: after the call, neither the library nor the
// result has the address that was passed.
//
// Thread-safe: a pure function. Tested in tests/direct/library_functions_test.cc.

#ifndef FIRSTCALL_DIRECT_LIBRARY_FUNCTIONS_H_
#define FIRSTCALL_DIRECT_LIBRARY_FUNCTIONS_H_

#include <cstdint>

#include "ir/global.h"

namespace firstcall::direct {

// The parameters that `function`, a declaration, forgets, one bit for each. None if it is not a
// function that LLVM 19 knows by its name and its type; later versions know more.
uint32_t ForgottenParameters(const ir::Global& function);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_LIBRARY_FUNCTIONS_H_
