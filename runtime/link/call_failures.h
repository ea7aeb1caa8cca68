// Handles calls of functions that have no code: the function cannot be compiled, or its module or
// engine no longer exists.
//
// Immutable, and as thread-safe as the client's handler. Tested in tests/api/failure_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_CALL_FAILURES_H_
#define FIRSTCALL_RUNTIME_LINK_CALL_FAILURES_H_

#include <utility>

#include "memory/executor_address.h"
#include "seam/options.h"

namespace firstcall {

class CallFailures {
 public:
  // An empty handler means the default described at FailureHandler.
  explicit CallFailures(FailureHandler handler) : handler_(std::move(handler)) {}

  // Returns the address where the call continues. If there is none, exits the process; the client's
  // handler may also throw. The caller must hold no lock and be in no WorkScope.
  ExecutorAddress Handle(const FailedCall& call) const;

 private:
  const FailureHandler handler_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_CALL_FAILURES_H_
