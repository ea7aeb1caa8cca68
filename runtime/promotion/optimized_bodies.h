// Makes the optimized bodies of functions that have turned out to be hot, and the continuations of
// those that run. If the cache of the function's module has the object, takes that; otherwise has
// it compiled, and gives it to the cache. Then links it.
//
// Thread-safe. Tested in tests/api/promotion_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROMOTION_OPTIMIZED_BODIES_H_
#define FIRSTCALL_RUNTIME_PROMOTION_OPTIMIZED_BODIES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "memory/executor_address.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/optimized_cache.h"
#include "runtime/link/symbol_resolver.h"
#include "seam/compiler.h"
#include "seam/listener.h"
#include "seam/loop_exit.h"
#include "seam/stop_flag.h"

namespace firstcall {

class OptimizedBodies {
 public:
  // All must outlive this. `describes_bodies`: the bodies get debug information, though other code
  // has none, once a debugger listens. `asks_when_called`: first bodies poll when they are called.
  OptimizedBodies(Compiler& compiler, const FunctionLinker& linker, const SymbolResolver& resolver,
                  const OptimizedCache& cache, Listener& listener, bool describes_bodies,
                  bool asks_when_called)
      : describes_bodies_(describes_bodies),
        asks_when_called_(asks_when_called),
        compiler_(compiler),
        linker_(linker),
        resolver_(resolver),
        cache_(cache),
        listener_(listener) {}

  struct Body {
    ExecutorAddress address;
    size_t code_bytes = 0;
    absl::Duration time;
    bool is_cached = false;
    // The parts of `time`, in their order.
    absl::Duration extract;
    absl::Duration optimize;
    absl::Duration emit;
    absl::Duration link;
    size_t imported = 0;               // Callees whose bodies it could inline; 0 if it was cached.
    size_t facts = 0;                  // See CompiledObject; 0 if it was cached.
    std::vector<std::string> inlined;  // See CompiledObject.
    // Of a continuation: how the first body is left for it; null if the first body does not poll in
    // machine code, or is another one than the object says.
    std::shared_ptr<const LoopExit> exit;
  };

  // Makes an optimized body of a function that counts its calls, or, with `loop`, its continuation
  // at this loop of the first body, which is at `first_body`. The code is linked, and the listener
  // is told, but the code is not published. Callees that are not `is_warm` have little chance to be
  // inlined. `counts` are what counting bodies of functions of its module have counted. Blocks on
  // the compile. Errors as Compiler::Optimize, of which the listener is told, except for Cancelled;
  // after that this object may be gone.
  absl::StatusOr<Body> Make(FunctionKey key, std::optional<uint32_t> loop,
                            ExecutorAddress first_body, IsWarm is_warm,
                            std::vector<BranchCounts> counts, std::shared_ptr<StopFlag> stop,
                            RunPasses run_passes);

  // Whether Make would probably find this in the cache. Does not block, except where the cache
  // does.
  bool IsCached(FunctionKey key, std::optional<uint32_t> loop) const;

 private:
  // Whether bodies are made with debug information, which those in the cache do not have.
  bool KeepsDebugInfo() const;
  // Nullopt if the cache has none that can be used.
  std::optional<Body> LinkCached(FunctionKey key, std::optional<uint32_t> loop,
                                 ExecutorAddress first_body);
  // `first_body`: of a continuation.
  absl::StatusOr<Body> Link(FunctionKey key, std::optional<ExecutorAddress> first_body, bool is_far,
                            bool is_cached, CompiledObject object);

  const bool describes_bodies_;
  const bool asks_when_called_;
  Compiler& compiler_;
  const FunctionLinker& linker_;
  const SymbolResolver& resolver_;
  const OptimizedCache& cache_;
  Listener& listener_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROMOTION_OPTIMIZED_BODIES_H_
