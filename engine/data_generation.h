// Makes the object of a source module's data, or of the whole module.

#ifndef FIRSTCALL_ENGINE_DATA_GENERATION_H_
#define FIRSTCALL_ENGINE_DATA_GENERATION_H_

#include "absl/status/statusor.h"
#include "engine/compile_context.h"
#include "engine/compiler.h"
#include "engine/listener.h"
#include "engine/loaded_module.h"

namespace firstcall {

// As Compiler::CompileData and CompileWhole, in `context`, which belongs to the calling thread.
// `listener` is told of the module.
absl::StatusOr<CompiledObject> GenerateData(LoadedModule& module, const DataOrder& order,
                                            CompileContext& context, Listener& listener);
absl::StatusOr<CompiledObject> GenerateWholeModule(LoadedModule& module, const DataOrder& order,
                                                   CompileContext& context, Listener& listener);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DATA_GENERATION_H_
