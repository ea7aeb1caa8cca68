// The questions that a compile asks about the functions and variables of its source module. Tested
// in tests/runtime/runtime_test.cc.

#ifndef FIRSTCALL_SEAM_COMPILE_QUESTIONS_H_
#define FIRSTCALL_SEAM_COMPILE_QUESTIONS_H_

#include "absl/functional/function_ref.h"
#include "base/ids.h"

namespace firstcall {

// Whether a weak definition gives way to one of the process or of an earlier module.
using IsReplaced = absl::FunctionRef<bool(SymbolOrdinal)>;

// Whether a function that is bound to be called may be compiled into the same object. If the answer
// is yes, the compile has claimed the function, until it is published or released.
using MayJoin = absl::FunctionRef<bool(SymbolOrdinal)>;

// Whether a callee is called often, as far as is known. If not, its body is imported only if it is
// very small or must always be inlined.
using IsWarm = absl::FunctionRef<bool(SymbolOrdinal)>;

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_COMPILE_QUESTIONS_H_
