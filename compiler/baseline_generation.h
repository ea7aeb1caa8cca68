// Generates code for a module with the baseline code generator.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to.

#ifndef FIRSTCALL_COMPILER_BASELINE_GENERATION_H_
#define FIRSTCALL_COMPILER_BASELINE_GENERATION_H_

#include <optional>

#include "absl/status/statusor.h"
#include "code/code_origin.h"
#include "code/identification.h"
#include "code/object_bytes.h"
#include "compiler/compile_context.h"
#include "llvm/IR/Module.h"
#include "splitter/module_view.h"

namespace firstcall {

// Compiles `module`, which was moved out of `view`, to `object`, with `identification` in it. The
// result says whether the baseline code generator made the object. It does not if the settings turn
// it off, or if it does not cover the module; then `object` is unchanged. `is_far`: the module's
// code may lie anywhere. Errors: those of creating a generator.
absl::StatusOr<CodeOrigin> GenerateBaselineCode(const llvm::Module& module, const ModuleView& view,
                                                bool is_far,
                                                const std::optional<Identification>& identification,
                                                CompileContext& context, ObjectBytes& object);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_BASELINE_GENERATION_H_
