// What becomes of a call of a function that has no code: one that cannot be compiled, one that was
// removed, one whose engine is gone.
//
// Immutable; thread-safe as the client's handler is.

#ifndef FIRSTCALL_ENGINE_CALL_FAILURES_H_
#define FIRSTCALL_ENGINE_CALL_FAILURES_H_

#include <utility>

#include "engine/options.h"
#include "memory/executor_address.h"

namespace firstcall {

class CallFailures {
 public:
  // An empty handler means the default: see FailureHandler.
  explicit CallFailures(FailureHandler handler) : handler_(std::move(handler)) {}

  // Where the call goes on. Does not return if there is no such place. Hold no lock, and be in no
  // WorkScope.
  ExecutorAddress Handle(const FailedCall& call) const;

 private:
  const FailureHandler handler_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_CALL_FAILURES_H_
