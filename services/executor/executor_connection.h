// How the compiling process sends requests to the executing process. A client that already has a
// connection between them implements this interface; socket_connection is an implementation. Tested
// in tests/services/executor/socket_connection_test.cc.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CONNECTION_H_
#define FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CONNECTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// The contract, for a client that implements a connection:
//  - Thread-safe: several threads call at the same time, and no call may wait for another. An
//    answer takes as long as the code that the request runs in the executing process, and that code
//    may need functions to be compiled, which takes further calls.
//  - A request is any sequence of bytes. It arrives completely and exactly once, or not at all.
//  - If the executing process ends, pending calls and all later ones return an error.
class ExecutorConnection {
 public:
  virtual ~ExecutorConnection() = default;

  // Returns what AnswerExecutorRequest (executor_service.h) returns for the request in the
  // executing process. Unavailable if that process is gone. After an error, the request may or may
  // not have been carried out.
  virtual absl::StatusOr<std::string> Call(absl::string_view request) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_CONNECTION_H_
