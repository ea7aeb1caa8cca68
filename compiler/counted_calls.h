// What the indirect calls of functions have called, for the optimization of one function: which
// functions should be imported because of that, and which calls are guarded.
//
// Thread-compatible: hold the view's mutex. Tested in tests/api/call_counts_test.cc.

#ifndef FIRSTCALL_COMPILER_COUNTED_CALLS_H_
#define FIRSTCALL_COMPILER_COUNTED_CALLS_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "llvm/IR/Module.h"
#include "seam/branch_counts.h"
#include "seam/symbol_index.h"
#include "splitter/module_view.h"

namespace firstcall {

class CountedCalls {
 public:
  // `view` and `index` are those of the source module, and must outlive this object. Targets that
  // are not functions which the module defines are ignored.
  CountedCalls(const ModuleView& view, const SymbolIndex& index,
               absl::Span<const BranchCounts> counts);

  // The functions for which indirect calls of `caller` should be guarded.
  absl::Span<const SymbolOrdinal> TargetsOf(SymbolOrdinal caller) const;

  // Guards the calls of `module`, a function-module of the view that has been annotated
  // (AnnotateWithCounts), whose targets have their bodies there. A guard compares with what a
  // variable of the module holds, which the linker binds to the stub, or keeps like the entry of a
  // constant table. `root` is the function that the module defines under its own name, if it does.
  void Guard(llvm::Module& module, const SymbolOrdinal* root) const;

 private:
  bool IsOwn(SymbolOrdinal target) const;
  llvm::Function* FindBody(llvm::Module& module, SymbolOrdinal function,
                           const SymbolOrdinal* root) const;
  llvm::GlobalVariable& AddressOf(llvm::Module& module, const llvm::Function& body,
                                  const CallTarget& target) const;

  const ModuleView& view_;
  const SymbolIndex& index_;
  absl::flat_hash_map<SymbolOrdinal, std::vector<SymbolOrdinal>> targets_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_COUNTED_CALLS_H_
