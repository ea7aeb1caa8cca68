// Writes the variables that a module defines beside its functions, except those that become a part
// of a function's code: constants that are copied (constant_data.h) and tables of labels.
//
// Thread-safe: a pure function of its arguments. Tested in tests/baseline/variables_test.cc.

#ifndef FIRSTCALL_BASELINE_VARIABLES_H_
#define FIRSTCALL_BASELINE_VARIABLES_H_

#include "baseline/refusal.h"
#include "code/compiled_code.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {

// Replaces the contents of `code`, which has no sections if there are no such variables.
Refusal WriteVariables(const llvm::Module& module, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_VARIABLES_H_
