#include "runtime/functions/speculation.h"

#include <cxxabi.h>

#include "base/steady_clock.h"
#include "runtime/process/work_scope.h"
#include "seam/event.h"

namespace firstcall {

void Speculation::CompileAhead(SourceModule& module, absl::Span<const SymbolOrdinal> callees) {
  for (SymbolOrdinal callee : callees) {
    const FunctionKey key{&module, callee};
    if (!has_budget()) return;
    if (functions_.BodyOf(key) || resolver_.IsReplaced(module, callee)) continue;
    threads_.RunInBackground([this, key, keep = module.shared_from_this()] {
      WorkScope scope;
      if (!has_budget() || keep->is_removed() || functions_.BodyOf(key)) return;
      const absl::Duration start = SteadyNow();
      try {
        (void)compiler_.Compile(key, CompileReason::kSpeculated);
      } catch (const abi::__forced_unwind&) {
        throw;  // The thread ends.
      } catch (...) {
        // A callback of the client's. The function has failed.
      }
      time_left_ -= absl::ToInt64Nanoseconds(SteadyNow() - start);
    });
  }
}

}  // namespace firstcall
