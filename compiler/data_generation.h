// Makes the object of a source module's data, or of the whole module.
//
// Thread-safe if each thread has its own context. Blocks until the code is generated, and locks the
// view's mutex meanwhile. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_COMPILER_DATA_GENERATION_H_
#define FIRSTCALL_COMPILER_DATA_GENERATION_H_

#include "absl/status/statusor.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

// As Compiler::CompileData and CompileWhole, in `context`, which belongs to the calling thread.
// `listener` is told of the module.
absl::StatusOr<CompiledObject> GenerateData(LoadedModule& module, const DataOrder& order,
                                            CompileContext& context, Listener& listener);
absl::StatusOr<CompiledObject> GenerateWholeModule(LoadedModule& module, const DataOrder& order,
                                                   CompileContext& context, Listener& listener);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_DATA_GENERATION_H_
