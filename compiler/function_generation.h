// Makes the object of a function's first body: extracts the function, and generates code for it.
//
// Thread-safe if each thread has its own context. Blocks until the code is generated, and locks the
// view's mutex meanwhile. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_COMPILER_FUNCTION_GENERATION_H_
#define FIRSTCALL_COMPILER_FUNCTION_GENERATION_H_

#include "absl/status/statusor.h"
#include "backend/llvm/whole_cpu.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

// As Compiler::CompileFunction, in `context`, which belongs to the calling thread. `listener` is
// told of the function-module. Code that is optimized is for the CPU that `cpu` says. After an
// error, `cpu.is_whole` says that another attempt may succeed, for the function's own CPU. It is
// false if others had joined the function: then the caller asks for the function alone.
absl::StatusOr<CompiledFunction> GenerateFunction(LoadedModule& module, const FunctionOrder& order,
                                                  CompileContext& context, Listener& listener,
                                                  CpuChoice& cpu);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_FUNCTION_GENERATION_H_
