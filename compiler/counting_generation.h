// Makes the object of a counting body: a first body that polls in all its loops and counts where
// its branches go and what its indirect calls call. A function that is hot runs it until its
// optimized body is made, which is made from what was counted.
//
// Thread-compatible: the context belongs to the calling thread. Tested in
// tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_COMPILER_COUNTING_GENERATION_H_
#define FIRSTCALL_COMPILER_COUNTING_GENERATION_H_

#include "absl/status/statusor.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

// The object that `order`, which has counts_branches, asks for. Only the baseline code generator
// makes it, because others would take longer than the counts are worth. Errors as
// Compiler::Optimize; Unimplemented also if the baseline code generator does not cover the
// function.
absl::StatusOr<CompiledObject> GenerateCounting(const OptimizationOrder& order,
                                                LoadedModule& module, bool infers,
                                                CompileContext& context, Listener& listener);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_COUNTING_GENERATION_H_
