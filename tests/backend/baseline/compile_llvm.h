// Functions of an llvm::Module for the baseline code generator.

#ifndef FIRSTCALL_TESTS_BACKEND_BASELINE_COMPILE_LLVM_H_
#define FIRSTCALL_TESTS_BACKEND_BASELINE_COMPILE_LLVM_H_

#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/refusal.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

// As BaselineCompiler::Compile, where dso_local symbols are near. kRepresentation if the function
// cannot be read.
inline Refusal CompileLlvm(BaselineCompiler& compiler, const llvm::Function& source,
                           CompiledCode& code) {
  ir::LlvmReader reader;
  ir::Function function;
  if (!reader.Begin(*source.getParent()).ok() || !reader.Read(source, function).ok()) {
    return Refusal::kRepresentation;
  }
  return compiler.Compile(function, /*is_near=*/true, code);
}

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_TESTS_BACKEND_BASELINE_COMPILE_LLVM_H_
