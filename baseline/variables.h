// Writes the global variables that a module defines, except those that become a part of a
// function's code: constants that are copied (constant_data.h) and tables of labels (constants.h).
//
// Thread-safe: a pure function of its arguments. Tested in tests/baseline/variables_test.cc.

#ifndef FIRSTCALL_BASELINE_VARIABLES_H_
#define FIRSTCALL_BASELINE_VARIABLES_H_

#include "baseline/refusal.h"
#include "code/compiled_code.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {

// Replaces the contents of `code`. If there are no such variables, `code` has no sections.
Refusal WriteVariables(const llvm::Module& module, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_VARIABLES_H_
