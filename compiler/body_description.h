// Describes first bodies for debuggers, or their lines for profilers. The baseline code generator
// has made these bodies without debug information. It is deterministic, so each body is compiled
// once more, from IR with debug information, and this time where instructions and values are is
// recorded. If the code is the same as the one that runs, what was recorded holds for that one,
// too.
//
// Thread-safe if each thread has its own context. Blocks until all functions are compiled, and
// locks the view's mutex meanwhile. Tested in tests/debugger/attach_test.cc and
// tests/command/jitdump_test.cc.

#ifndef FIRSTCALL_COMPILER_BODY_DESCRIPTION_H_
#define FIRSTCALL_COMPILER_BODY_DESCRIPTION_H_

#include "absl/status/statusor.h"
#include "backend/llvm/target.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"

namespace firstcall {

// As Compiler::DescribeBodies, in `context`, which belongs to the calling thread and to `target`.
// The views of `context` are used for nothing else.
absl::StatusOr<CodeDescription> DescribeBodiesOf(LoadedModule& module,
                                                 const DescriptionOrder& order,
                                                 const Target& target, CompileContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_BODY_DESCRIPTION_H_
