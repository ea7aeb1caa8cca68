#include "runtime/link/call_failures.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/floating_point_environment.h"

namespace firstcall {

ExecutorAddress CallFailures::Handle(const FailedCall& call) const {
  const ProgramFloatingPoint floating_point;
  if (handler_) {
    if (void* replacement = handler_(call)) return ExecutorAddress::Of(replacement);
  }
  std::fprintf(stderr, "firstcall: %s\n", std::string(call.status.message()).c_str());
  std::exit(kFirstCallFailedExitStatus);
}

}  // namespace firstcall
