// Makes the object of an optimized body, with copies of what the function calls, or of its
// continuation at a loop. Tested in tests/api/promotion_test.cc.

#ifndef FIRSTCALL_COMPILER_OPTIMIZED_GENERATION_H_
#define FIRSTCALL_COMPILER_OPTIMIZED_GENERATION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "base/fatal_error_guard.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

// As Compiler::Optimize, in a context of `contexts`, whose target optimizes IR. `listener` is told
// of the function-module. `infers`: what callees do may be inferred from their bodies. Thread-safe.
// `containment` may be null. If the result is no longer wanted, it uses only its own copies of the
// pointers from then on.
absl::StatusOr<CompiledObject> GenerateOptimized(
    const std::shared_ptr<LoadedModule>& module, const OptimizationOrder& order, bool infers,
    ContextPool& contexts, Listener& listener,
    const std::shared_ptr<const CrashContainment>& containment);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_OPTIMIZED_GENERATION_H_
