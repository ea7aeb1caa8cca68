// Makes the better bodies of functions that have turned out to be hot: optimized, with copies of
// what they call, and continuations for those that run.
//
// Thread-safe: each call leases a compile context.

#ifndef FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_
#define FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/compile_context.h"
#include "engine/function_linker.h"
#include "engine/function_table.h"
#include "engine/listener.h"
#include "engine/optimization_gate.h"
#include "engine/symbol_resolver.h"
#include "splitter/function_extractor.h"

namespace firstcall {

class OptimizingCompiler {
 public:
  // All must outlive the compiler; the contexts' target optimizes IR.
  OptimizingCompiler(ContextPool& contexts, const FunctionLinker& linker, SymbolResolver& resolver,
                     Listener& listener)
      : contexts_(contexts), linker_(linker), resolver_(resolver), listener_(listener) {}

  struct Body {
    ExecutorAddress address;
    size_t code_bytes = 0;
    absl::Duration time;
  };

  // A better body for a function that counts its heat, or, with `loop`, its continuation there.
  // What it calls in its module without being `is_warm` has little chance to be inlined. Linked,
  // and told to the listener, but not published. Blocks on the compile. Errors, of which the
  // listener is told too, as for its first body; FailedPrecondition if nothing is left to make it
  // from; Cancelled, of which it is not, if the gate was stopped.
  absl::StatusOr<Body> Compile(FunctionKey key, std::optional<uint32_t> loop, IsWarm is_warm);

  // To end what is being compiled early: Cancelled from then on.
  OptimizationGate& gate() { return gate_; }

 private:
  absl::StatusOr<Body> CompileInContext(FunctionKey key, std::optional<uint32_t> loop,
                                        IsWarm is_warm, CompileContext& context);
  struct Made {
    ObjectBytes bytes;
    bool has_inline_assembly = false;
  };
  absl::StatusOr<Made> Make(FunctionKey key, std::optional<uint32_t> loop, IsWarm is_warm,
                            bool is_far, CompileContext& context, PublishedObject& published);

  ContextPool& contexts_;
  const FunctionLinker& linker_;
  SymbolResolver& resolver_;
  Listener& listener_;
  OptimizationGate gate_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_
