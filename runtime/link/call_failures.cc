#include "runtime/link/call_failures.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/floating_point_environment.h"
#include "base/signal_hold.h"
#include "runtime/process/work_scope.h"

namespace firstcall {

ExecutorAddress CallFailures::Handle(const FailedCall& call) const {
  std::optional<ProgramSignals> signals;
  if (!WorkScope::IsAtWork()) signals.emplace();  // Otherwise the engine's work goes on afterwards.
  const ProgramFloatingPoint floating_point;
  if (handler_) {
    if (void* replacement = handler_(call)) return ExecutorAddress::Of(replacement);
  }
  std::fprintf(stderr, "firstcall: %s\n", std::string(call.status.message()).c_str());
  std::exit(kFirstCallFailedExitStatus);
}

}  // namespace firstcall
