// Makes the counting bodies of functions that are hot: has them compiled, and links them. No cache
// keeps them, because their counts are already used in the optimized body that is made from them.
//
// Thread-safe. Tested in tests/api/branch_counts_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODIES_H_
#define FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODIES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/promotion/branch_counter_block.h"
#include "seam/compiler.h"
#include "seam/listener.h"
#include "seam/stop_flag.h"

namespace firstcall {

class CountingBodies {
 public:
  // All must outlive this.
  CountingBodies(Compiler& compiler, const FunctionLinker& linker, const SymbolResolver& resolver,
                 Listener& listener)
      : compiler_(compiler), linker_(linker), resolver_(resolver), listener_(listener) {}

  struct Body {
    ExecutorAddress address;
    BranchCounterBlock counters;
  };

  // Makes the counting body of a function that counts its calls. The code is linked, and the
  // listener is told, but calls do not go to it yet. Blocks on the compile. Errors as
  // Compiler::Optimize; most functions that are refused have no branches.
  absl::StatusOr<Body> Make(FunctionKey key, std::shared_ptr<StopFlag> stop);

 private:
  absl::StatusOr<Body> Link(FunctionKey key, bool is_far, CompiledObject object);

  Compiler& compiler_;
  const FunctionLinker& linker_;
  const SymbolResolver& resolver_;
  Listener& listener_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_COUNTING_BODIES_H_
