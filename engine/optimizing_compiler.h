// Makes the better bodies of functions that have turned out to be hot: optimized, with copies of
// what they call, and continuations for those that run.
//
// Thread-safe: each call takes a compile context.

#ifndef FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_
#define FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/fatal_error_guard.h"
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
  // All must outlive the compiler; the contexts' target optimizes IR. `containment` may be null.
  OptimizingCompiler(ContextPool& contexts, const FunctionLinker& linker, SymbolResolver& resolver,
                     Listener& listener, std::shared_ptr<const CrashContainment> containment)
      : contexts_(contexts),
        linker_(linker),
        resolver_(resolver),
        listener_(listener),
        containment_(std::move(containment)) {}

  struct Body {
    ExecutorAddress address;
    size_t code_bytes = 0;
    absl::Duration time;
  };

  // Runs LLVM's passes, which may take long, and use nothing of the engine's. Returns whether their
  // result is still wanted; if not, the module may be gone, and the engine with all its parts.
  using RunPasses = absl::FunctionRef<bool(absl::FunctionRef<void()> passes)>;

  // A better body for a function that counts its heat, or, with `loop`, its continuation there.
  // What it calls in its module without being `is_warm` has little chance to be inlined. Linked,
  // and told to the listener, but not published. Blocks on the compile. Errors, of which the
  // listener is told too, as for its first body; FailedPrecondition if nothing is left to make it
  // from; Cancelled, of which it is not, if `gate` was stopped, or the result is not wanted.
  absl::StatusOr<Body> Compile(FunctionKey key, std::optional<uint32_t> loop, IsWarm is_warm,
                               std::shared_ptr<OptimizationGate> gate, RunPasses run_passes);

 private:
  // What one call has for itself, which goes on when the engine has gone.
  struct Work {
    std::unique_ptr<CompileContext> context;
    const std::shared_ptr<OptimizationGate> gate;  // LLVM's context refers to it.
    const std::shared_ptr<const CrashContainment> containment;
    bool is_wanted = true;
  };
  struct Order {
    const FunctionKey key;
    const std::optional<uint32_t> loop;
    const IsWarm is_warm;
    const RunPasses run_passes;
  };
  struct Made {
    ObjectBytes bytes;
    bool has_inline_assembly = false;
  };
  absl::StatusOr<Body> CompileInContext(const Order& order, Work& work);
  absl::StatusOr<Made> Make(const Order& order, bool is_far, Work& work,
                            PublishedObject& published);

  ContextPool& contexts_;
  const FunctionLinker& linker_;
  SymbolResolver& resolver_;
  Listener& listener_;
  const std::shared_ptr<const CrashContainment> containment_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OPTIMIZING_COMPILER_H_
