// Makes the object of a function's first body, perhaps together with others, without LLVM.
//
// Thread-compatible. Tested in tests/direct/direct_compiler_test.cc.

#ifndef FIRSTCALL_DIRECT_FUNCTION_GENERATION_H_
#define FIRSTCALL_DIRECT_FUNCTION_GENERATION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "direct/compile_context.h"
#include "direct/source_module.h"
#include "seam/compiler.h"

namespace firstcall::direct {

// Errors: as ChooseFunctions; Unimplemented, with the reason, for what the code generator does not
// cover.
absl::StatusOr<CompiledFunction> GenerateFunction(const FunctionOrder& order,
                                                  const std::shared_ptr<const ReadModule>& module,
                                                  CompileContext& context);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_FUNCTION_GENERATION_H_
