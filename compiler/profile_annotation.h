// Gives a function-module that will be optimized what counting bodies have counted.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to. Tested in
// tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_COMPILER_PROFILE_ANNOTATION_H_
#define FIRSTCALL_COMPILER_PROFILE_ANNOTATION_H_

#include "absl/types/span.h"
#include "llvm/IR/Function.h"
#include "seam/branch_counts.h"
#include "seam/symbol_index.h"

namespace firstcall {

// Annotates `root` and the copies of callees in its module with those of the `counts` that are
// theirs (see UseBranchCounts). `index` has the symbols of the source module.
void AnnotateWithCounts(llvm::Function& root, const SymbolIndex& index,
                        absl::Span<const BranchCounts> counts);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_PROFILE_ANNOTATION_H_
