// Writes the global variables that a module defines, except those that become a part of a
// function's code: constants that are copied (constant_data.h) and tables of labels (constants.h).
//
// Thread-safe: a pure function of its arguments. Tested in
// tests/backend/baseline/variables_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_
#define FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "backend/baseline/refusal.h"
#include "ir/module.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

// Replaces the contents of `code`. If there are no such variables, `code` has no sections.
// `emulates_thread_locals` is as in BaselineOptions.
Refusal WriteVariables(const ir::Module& module, bool emulates_thread_locals, CompiledCode& code);

// The same for an object that any linker may link (BaselineOptions), which others may define more
// for. Calls `refuse` for a variable that cannot be written, or that is thread-local, and goes on.
// Leaves out those of which `is_left_out` holds.
struct VariableSelection {
  bool ignores_debug_information = false;
  absl::FunctionRef<bool(uint32_t number)> is_left_out;
  absl::FunctionRef<void(uint32_t number, Refusal reason)> refuse;
};
void WriteSomeVariables(const ir::Module& module, const VariableSelection& selection,
                        CompiledCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_VARIABLES_H_
