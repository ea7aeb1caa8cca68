// Writes the global variables that a module defines, except those that become a part of a
// function's code: constants that are copied (constant_data.h) and tables of labels (constants.h).
//
// Thread-safe: a pure function of its arguments. Tested in
// tests/backend/baseline/variables_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_
#define FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_

#include "backend/baseline/refusal.h"
#include "ir/module.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

// Replaces the contents of `code`. If there are no such variables, `code` has no sections.
// `emulates_thread_locals` is as in BaselineOptions.
Refusal WriteVariables(const ir::Module& module, bool emulates_thread_locals, CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_
